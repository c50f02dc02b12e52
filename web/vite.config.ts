import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: { target: "es2023", outDir: "dist", emptyOutDir: true, chunkSizeWarningLimit: 1200 },
  // `npm run mock` in another terminal gives the page something to show while it is being written.
  server: { proxy: { "/ws": { target: "ws://127.0.0.1:8765", ws: true }, "/assets-of": "http://127.0.0.1:8765" } },
});

import { defineConfig } from "vite";

// `./dev web run dev` shows the page as it is being written, with what `lockstep serve` at its usual port says.
const server = "http://127.0.0.1:8080";
// The server answers its own page only, which this one must pass for.
const proxy = { target: server, changeOrigin: true, headers: { origin: server } };

export default defineConfig({
  base: "./",
  build: { target: "es2023", outDir: "dist", emptyOutDir: true, chunkSizeWarningLimit: 1200 },
  server: { proxy: { "/ws": { ...proxy, ws: true }, "/scene": proxy, "/gallery": proxy, "/download": proxy } },
});

import { defineConfig } from "vitest/config";

// A loaded machine may take long over anything.
export default defineConfig({ test: { include: ["src/**/*.test.ts"], testTimeout: 60_000 } });

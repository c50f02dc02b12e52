import { defineConfig } from "vitest/config";

// One browser and one server for all tests of a file; the files share the two cores of a small machine, which may be busy:
// what is polled for has time.
export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});

import js from "@eslint/js";
import typescript from "typescript-eslint";

// What a compiler cannot see: promises that are forgotten, conditions that are always true, types that are lost.
export default typescript.config(
  { ignores: ["dist", "node_modules", "eslint.config.js", "src/golden_messages_testing.ts"] },
  js.configs.recommended,
  typescript.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { project: "./tsconfig.json" } },
    rules: {
      eqeqeq: "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    },
  },
);

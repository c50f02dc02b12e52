import { expect, it } from "vitest";
import { embedFiles, toBase64 } from "./upload.ts";

it("embeds files under the paths by which the scenario names them", () => {
  const scenario = `<scenario>\n<mesh src="meshes/arm.stl"/><mesh src='b.stl'/>\n</scenario>\n`;
  const files = ["arm.stl", "b.stl", "x&y.png"].map((name, i) => ({ name, data: `AA${i}=` }));
  expect(embedFiles(scenario, files)).toBe(
    `<scenario>\n<mesh src="meshes/arm.stl"/><mesh src='b.stl'/>\n` +
      `<file path="meshes/arm.stl">AA0=</file><file path="b.stl">AA1=</file><file path="x&#38;y.png">AA2=</file></scenario>\n`,
  );
  expect(embedFiles("<robot/>", files)).toBe("<robot/>");
});

it("encodes bytes", async () => {
  expect(await toBase64(new Blob([new Uint8Array([0, 255, 16])]))).toBe("AP8Q");
});

// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { goldenFiles, goldenGallery } from "../golden_messages_testing.ts";
import { RequestError } from "../protocol.ts";
import { OpenDialog } from "./open.ts";
import { makeTestApp, textsOf } from "./panel_testing.ts";

const [gripper] = goldenGallery;
const gallery = [
  gripper!,
  { ...gripper!, name: "basics/drop", title: "drop" },
  { ...gripper!, name: "own", title: "own" },
];

it("groups the gallery by folder", async () => {
  const dialog = new OpenDialog(makeTestApp({ files: { files: goldenFiles, gallery } }));
  await dialog.show();
  expect(textsOf(dialog.element, ".gallery h3")).toEqual(["Arms", "Basics"]);
  expect(textsOf(dialog.element, ".gallery strong")).toEqual(["gripper", "drop", "own"]);
});

it("opens the scenario of a card", async () => {
  const app = makeTestApp({ files: { files: [], gallery } });
  const dialog = new OpenDialog(app);
  await dialog.show();
  dialog.element.querySelectorAll<HTMLButtonElement>(".card")[1]!.click();
  expect(app.requests.at(-1)).toEqual(["open", { gallery: "basics/drop" }]);
});

it("shows the errors of a file that cannot be opened", async () => {
  const diagnostic = { file: "a.xml", line: 2, column: 3, severity: "error", text: "no" } as const;
  const app = makeTestApp({
    files: { files: goldenFiles, gallery },
    open: new RequestError("no", [diagnostic], "<a>"),
  });
  const dialog = new OpenDialog(app);
  await dialog.show();
  dialog.element.querySelector<HTMLButtonElement>(".files button")!.click();
  await Promise.resolve();
  await new Promise((done) => setTimeout(done));
  expect(app.store.problems.value?.diagnostics).toEqual([diagnostic]);
});

import { expect, it } from "vitest";
import { goldenAttributes, goldenFiles, goldenGallery, goldenScene, goldenStatus } from "./golden_messages_testing.ts";
import { Store } from "./store.ts";

// That the golden messages have the types of the page is checked by the compiler; here the page takes them.
it("takes the golden messages of the server", () => {
  const store = new Store();
  store.push({ push: "scene", scene: goldenScene });
  store.push({ push: "status", status: goldenStatus });
  expect(store.scene.value?.joints[0]?.name).toBe("arm/shoulder");
  expect(store.status.value.connections[0]?.connected).toBe(false);
  expect(goldenFiles[0]?.path).toMatch(/\.xml$/);
  expect(goldenGallery[0]?.thumbnail).toMatch(/^\/gallery\//);
  expect(goldenAttributes[0]?.xpath).toMatch(/@damping$/);
});

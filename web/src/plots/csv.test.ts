import { expect, it } from "vitest";
import { decodeState } from "../state_message.ts";
import { encodeState } from "../state_message_testing.ts";
import { writeCsv } from "./csv.ts";
import { History } from "./history.ts";

function history(): History {
  const made = new History();
  made.setLayout(["arm/angle", 'odd,"name']);
  const rows = [0, 0.1, 5, 0.001, 0.2, Number.NaN, 0.002, 1 / 3, 7];
  made.append(decodeState(encodeState({ scene: 1, step: 0, time: 0, hasGap: false, signalCount: 2, rows })));
  return made;
}

const columns = [
  { name: "arm/angle", unit: "rad" },
  { name: 'odd,"name', unit: "" },
];

it("writes names, units and every digit", () => {
  expect(writeCsv(history(), columns, 0, 1)).toBe(
    'time [s],arm/angle [rad],"odd,""name"\n0,0.1,5\n0.001,0.2,\n0.002,0.3333333333333333,7\n',
  );
});

it("writes only the requested time range", () => {
  expect(writeCsv(history(), columns.slice(0, 1), 0.001, 0.0015)).toBe("time [s],arm/angle [rad]\n0.001,0.2\n");
});

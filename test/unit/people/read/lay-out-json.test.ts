import { expect, it } from "vitest";
import { layOutJson } from "../../../../src/people/read/lay-out-json.ts";

it("gives each value its line, as it was written", () => {
  const text = '{ "a":12345678901234567890.10 , "b":[1,{"c":"x,{\\"y\\"}: ]"}],"e":{},"f":[ ]}';
  expect(layOutJson(text).split("\n")).toEqual([
    "{",
    '  "a": 12345678901234567890.10,',
    '  "b": [',
    "    1,",
    "    {",
    '      "c": "x,{\\"y\\"}: ]"',
    "    }",
    "  ],",
    '  "e": {},',
    '  "f": []',
    "}",
  ]);
});

it("leaves everything else as it is", () => {
  for (const text of ["", "no JSON: {", '"a text"', "12", '{"cut":']) expect(layOutJson(text)).toBe(text);
});

it("keeps what strangers nested deeply as short as it is", () => {
  const deep = "[".repeat(10_000) + "]".repeat(10_000);
  expect(layOutJson(deep).length).toBeLessThan(1_000_000);
});

import { describe, expect, it } from "vitest";
import { toCleanEnvironment } from "../../../src/demo/children.ts";

describe("the environment of what the demo starts", () => {
  it("has nothing that begins with REDRIVER_, QSTASH_ or UPSTASH_", () => {
    const env = {
      PATH: "/bin",
      REDRIVER_NO_SUCH: "1",
      QSTASH_TOKEN: "t",
      UPSTASH_EMAIL: "e",
      MY_QSTASH_TOKEN: "m",
    };
    expect(toCleanEnvironment(env)).toEqual({ PATH: "/bin", MY_QSTASH_TOKEN: "m" });
  });
});

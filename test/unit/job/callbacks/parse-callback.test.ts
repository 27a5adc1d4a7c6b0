import { describe, expect, it } from "vitest";
import { parseCallback } from "../../../../src/job/callbacks/parse-callback.ts";

const whole = {
  status: 503,
  header: { A: ["b"] },
  body: "",
  retried: 1,
  maxRetries: 2,
  sourceMessageId: "msg_1",
  url: "https://api.example.com/x",
  method: "POST",
  sourceHeader: { "X-A": ["1", "2"], "X-B": "3" },
  sourceBody: Buffer.from("ünï").toString("base64"),
};
const parse = (changes: object) => parseCallback(Buffer.from(JSON.stringify({ ...whole, ...changes })));

describe("a callback", () => {
  it("tells of the attempt, and what was sent", () => {
    expect(parse({})).toEqual({
      messageId: "msg_1",
      status: 503,
      retried: 1,
      maxRetries: 2,
      sent: { header: { "X-A": ["1", "2"], "X-B": ["3"] }, body: "ünï", bodyBase64: "" },
    });
  });

  it("keeps a body that is no text as it came", () => {
    const sourceBody = Buffer.from([0xff, 0x00]).toString("base64");
    expect(parse({ sourceBody })?.sent).toMatchObject({ body: "", bodyBase64: sourceBody });
  });

  it("may leave out what is 0 or empty", () => {
    const { status: _1, retried: _2, maxRetries: _3, sourceBody: _4, sourceHeader: _5, ...rest } = whole;
    expect(parseCallback(Buffer.from(JSON.stringify({ ...rest, header: null })))).toEqual({
      messageId: "msg_1",
      status: 0,
      retried: 0,
      maxRetries: 0,
      sent: { header: {}, body: "", bodyBase64: "" },
    });
  });

  it.each([
    ["no id", { sourceMessageId: undefined }],
    ["an empty id", { sourceMessageId: "" }],
    ["an id without end", { sourceMessageId: "m".repeat(257) }],
    ["a blank id", { sourceMessageId: " " }],
    ["an id of several words", { sourceMessageId: "msg_1 msg_2" }],
    ["an id with a line break", { sourceMessageId: "msg_1\n" }],
    ["an id of one character", { sourceMessageId: "0" }],
    ["a status that is none", { status: "200" }],
    ["a negative count", { retried: -1 }],
    ["headers that are none", { sourceHeader: [] }],
    ["a header that is no text", { sourceHeader: { A: [1] } }],
    ["a body that is no text", { sourceBody: {} }],
  ])("with %s is none", (_, changes) => {
    expect(parse(changes)).toBeNull();
  });

  it.each(["", "null", "[]", "{", '"x"', "\xff"])("is not %j", (text) => {
    expect(parseCallback(Buffer.from(text, "latin1"))).toBeNull();
  });
});

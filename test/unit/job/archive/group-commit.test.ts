import { expect, it } from "vitest";
import { createGroupCommit } from "../../../../src/job/archive/group-commit.ts";

it("group commit commits one group after the other, each with all that waited, up to its length", async () => {
  const groups: string[] = [];
  let running = 0;
  const commits = createGroupCommit(async (text) => {
    running += 1;
    expect(running).toBe(1);
    await Promise.resolve();
    groups.push(text);
    running -= 1;
    return text;
  }, 4);
  const receipts = await Promise.all(["a", "bb", "cc", "d", "eeeeee", "f"].map(commits.add));
  expect(groups).toEqual(["a", "bbcc", "d", "eeeeee", "f"]);
  expect(receipts).toEqual(["a", "bbcc", "bbcc", "d", "eeeeee", "f"]);
  await commits.idle();
  expect(await commits.add("again")).toBe("again");
});

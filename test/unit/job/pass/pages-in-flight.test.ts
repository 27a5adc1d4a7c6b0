import { describe, expect, it } from "vitest";
import { createPagesInFlight } from "../../../../src/job/pass/pages-in-flight.ts";

const isDone = async (promise: Promise<unknown>): Promise<boolean> => {
  const pending = Symbol("pending");
  await new Promise((resolve) => setImmediate(resolve));
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
};

const ignore = (): void => undefined;

/** A page that is worked until it is told how it ended. */
function deferred() {
  let resolve: () => void = ignore;
  let reject: (error: Error) => void = ignore;
  const promise = new Promise<void>((...ends) => ([resolve, reject] = ends));
  return { promise, resolve, reject };
}

const always = (): boolean => true;

describe("the pages of a window at work", () => {
  it("are at most as many as a window may have, and the next is listed as soon as one ends", async () => {
    const flight = createPagesInFlight({ perWindow: 2, perSource: 9 }).ofWindow(always);
    const [first, second] = [deferred(), deferred()];
    flight.begin(() => first.promise);
    await flight.mayListNext();
    flight.begin(() => second.promise);
    const next = flight.mayListNext();
    expect(await isDone(next)).toBe(false);
    second.resolve();
    expect(await isDone(next)).toBe(true);
  });

  it("share the places of their source, but a window without a page always lists", async () => {
    const source = createPagesInFlight({ perWindow: 4, perSource: 2 });
    const [one, other] = [source.ofWindow(always), source.ofWindow(always)];
    const held = [deferred(), deferred()];
    for (const { promise } of held) one.begin(() => promise);
    await other.mayListNext();
    const page = deferred();
    other.begin(() => page.promise);
    const next = other.mayListNext();
    expect(await isDone(next)).toBe(false);
    page.resolve();
    expect(await isDone(next)).toBe(true);
  });

  it("wait for each other while there is no memory for one more", async () => {
    const flight = createPagesInFlight().ofWindow(() => false);
    const page = deferred();
    flight.begin(() => page.promise);
    const next = flight.mayListNext();
    expect(await isDone(next)).toBe(false);
    page.resolve();
    await next;
  });
});

import { expect, test } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { connectTo, startHttp } from "../../../support/message-service-server.ts";

const ids = (...texts: string[]) => texts as unknown as readonly [DlqId, ...DlqId[]];

test("exactly the given ids are deleted, by repeated parameters and nothing else", async () => {
  const server = await startHttp(() => ({ body: { deleted: 1, cursor: "more" } }));
  const { service, answers } = connectTo(`${server.baseUrl}/prefix`);
  expect(await service.remove(ids("1725323658779-0", "1725323658779-1"))).toEqual({ deleted: 1 });
  const [request] = server.requests;
  expect(request?.method).toBe("DELETE");
  expect(`${request?.url.pathname}${request?.url.search}`).toBe(
    "/prefix/v2/dlq?dlqIds=1725323658779-0&dlqIds=1725323658779-1",
  );
  expect(request?.body).toBe("");
  expect(answers).toEqual([{ operation: "delete", outcome: "ok", durationMs: 0, status: 200 }]);
});

test("a hundred ids go in one call", async () => {
  const server = await startHttp(({ url }) => ({
    body: { deleted: url.searchParams.getAll("dlqIds").length },
  }));
  const { service } = connectTo(server.baseUrl);
  const all = ids(...Array.from({ length: 100 }, (_, index) => `1725323658779-${index}`));
  expect(await service.remove(all)).toEqual({ deleted: 100 });
});

test.each([[[]], [[""]], [["1-0", ""]], [[","]], [Array.from({ length: 101 }, (_, index) => `${index}-0`)]])(
  "a delete of %j never reaches the service",
  async (texts) => {
    const server = await startHttp(() => ({ body: { deleted: 0 } }));
    const { service } = connectTo(server.baseUrl);
    await expect(service.remove(ids(...texts))).rejects.toMatchObject({ code: "invariant-broken" });
    expect(server.connectionCount()).toBe(0);
  },
);

/**
 * Ways to break a guarantee, one line each, and the test that has to notice. `find` stands exactly once in `file`.
 */

export const mutations = [
  {
    name: "renew firstAt on takeover",
    file: "src/job/store/ledger/begin.lua.ts",
    find: "if e then s = { x = e.x, f = e.f, p = e.p, r = e.r } end",
    replace: "if e then s = { x = e.x, f = now, p = e.p, r = e.r } end",
    test: "test/contract/job/store/ledger/ledger-begin.test.ts",
  },
  {
    name: "take over from a living worker",
    file: "src/job/store/ledger/prelude.lua.ts",
    find: "since >= (call.workerLostAt or 0)",
    replace: "since > now",
    test: "test/contract/job/store/ledger/ledger-begin.test.ts",
  },
  {
    name: "work again what has ended its workers",
    file: "src/job/pass/work-carefully.ts",
    find: "if (!isLive || !isToWork(view)) stay.set(dlqId, view);",
    replace: "if (!isLive) stay.set(dlqId, view);",
    test: "test/integration/job/pass/deadly-records.test.ts",
  },
  {
    name: "erase open with the lease",
    file: "src/job/store/ledger/prelude.lua.ts",
    find: "if e.s == 'gone' then return limits.tombstone end",
    replace:
      "if e.s == 'gone' then return limits.tombstone end if e.s == 'open' then return limits.takeover end",
    test: "test/contract/job/store/ledger/ledger-redis.test.ts",
  },
  {
    name: "fence the published fact",
    file: "src/job/store/ledger/published-archived-gone.lua.ts",
    find: "local p = { s = 'published', as = fact.as,",
    replace:
      "if not e or e.s ~= 'open' then return { kind = 'gone' } end local p = { s = 'published', as = fact.as,",
    test: "test/contract/job/store/ledger/ledger-facts.test.ts",
  },
  {
    name: "publish a whole batch for some of its ids",
    file: "src/job/store/ledger/begun-batches.ts",
    find: "if (batch !== undefined && isAt(batch, dlqIds, from)) {",
    replace: "if (batch !== undefined) {",
    test: "test/contract/job/store/ledger/ledger-batches.test.ts",
  },
  {
    name: "forget a batch before its retention",
    file: "src/job/store/ledger/batch.lua.ts",
    find: "  if b.ends - server >= atLeast then return end",
    replace: "  if b.ends >= server then return end",
    test: "test/contract/job/store/ledger/ledger-batches.test.ts",
  },
  {
    name: "accept a hit after refusals",
    file: "src/job/page/publish.ts",
    find: "return refusals === 0;",
    replace: "return refusals >= 0;",
    test: "test/integration/job/races/hits.test.ts",
  },
  {
    name: "keep the suffix after a refusal",
    file: "src/job/store/ledger/begin.lua.ts",
    find: "x = s.r > 0 and s.x + 1 or s.x,",
    replace: "x = s.x,",
    test: "test/integration/job/page/publish.test.ts",
  },
  {
    name: "begin without page age",
    file: "src/job/store/ledger/begin.lua.ts",
    find: "if now - call.pageReadAt > limits.maxPageAge then return 'page-too-old' end",
    replace: "",
    test: "test/contract/job/store/ledger/ledger-begin.test.ts",
  },
  {
    name: "check before the POST instead of before the last byte",
    file: "src/job/service/batch-body-last-byte.ts",
    find: "      if (!isStopped() && !isAllowed(lastByteAllowed)) {",
    replace: "      if (encodedItems.length < 0) {",
    test: "test/integration/job/service/last-byte.test.ts",
  },
  {
    name: "delete before record",
    file: "src/job/page/publish.ts",
    find: "    const { isDeleteAudited } = await recordPublished(context, proofs);",
    replace:
      "    await context.drain.source.service.remove(proofs.map(({ begun: one }) => one.letter.dlqId) as never);\n    const { isDeleteAudited } = await recordPublished(context, proofs);",
    test: "test/integration/job/page/settle.test.ts",
  },
  {
    name: "tombstone when deleted is lower than asked",
    file: "src/job/page/settle.ts",
    find: '    return { deleted, outcome: "short" };',
    replace: '    await ledger.gone(ids);\n    return { deleted, outcome: "short" };',
    test: "test/integration/job/page/settle.test.ts",
  },
  {
    name: "proof by a listing that did not end",
    file: "src/job/listing/find-records.ts",
    find: 'listing.end === "end" ? proven : []',
    replace: "proven",
    test: "test/integration/job/listing/find-records.test.ts",
  },
  {
    name: "park when everything is refused",
    file: "src/job/page/publish/refusals.ts",
    find: "(control || (isOften && !isRow))",
    replace: '(control || verdict.kind === "cool")',
    test: "test/integration/job/page/publish.test.ts",
  },
  {
    name: "audit what was not begun",
    file: "src/job/store/ledger/begin.lua.ts",
    find: "verdicts = verdicts }, isAllPlain,",
    replace: "verdicts = verdicts }, true,",
    test: "test/contract/job/store/audit/record.test.ts",
  },
  {
    name: "publish with the settle gate closed",
    file: "src/job/store/ledger/begin.lua.ts",
    find: "if settleGateClosed() then return 'settle-gate' end",
    replace: "",
    test: "test/contract/job/store/ledger/ledger-begin.test.ts",
  },
  {
    name: "lineage tag not checked",
    file: "src/job/message/lineage.ts",
    find: "isEqual(parts[2]!, hmacSha256(key, `v1.${parts[1]!}`))",
    replace: "parts[2]!.length > 0",
    test: "test/property/job/message/lineage.test.ts",
  },
  {
    name: "reuse the original deduplication id",
    file: "src/job/page/publish/canary-variant.ts",
    find: "withId(letter.due.json, toDeduplicationId(letter.dlqId, suffix))",
    replace: "withId(letter.due.json, toDeduplicationId(`${letter.dlqId}-original`, suffix))",
    test: "test/unit/job/page/prepare.test.ts",
  },
];

import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { startConsoleDaemon } from "../../support/console-daemon.ts";
import { toText } from "../../support/console-forms.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();

const document = `
version: 1
sources: { default: {} }
indexes:
  catalog: { id: demo, credentials: { user: { env: INDEX_USER }, password: { env: INDEX_PASSWORD } }, schedule: { every: 1s } }
drains:
  orders:
    mode: live
    lane: none
    schedule: { every: 1s }
    minAge: 1s
    select: { topicName: orders }
    otherwise: park
    guards:
      - { index: catalog, hold: "pending_index_count >= 0", resume: "pending_index_count < 0" }
    rules:
      - name: broken
        when: { responseStatus: 422 }
        then: park
      - { name: outage, when: { responseStatus: 503 }, then: republish, set: { headers: { X-Key: "aB3dE5fG7hJ9kL1mN3pQ" } } }
`;

it("what is parked is counted with its next step, and filtered by its address", async () => {
  const stand = await startConsoleDaemon(redis.url(), document);
  const broken = stand.seed(40, { topicName: "orders" });
  const others = stand.seed(45, { topicName: "orders", responseStatus: 404 });
  await expect
    .poll(async () => toText(await stand.page("/parked")), { timeout: 30_000 })
    .toContain("85 parked in this source");
  await expect.poll(() => stand.page("/parked", "operator"), { timeout: 30_000 }).toContain("Release all 40");
  const all = await stand.page("/parked");
  expect(toText(all)).toContain("Change the rules of the drain, or send them once:");
  expect(all).not.toContain('action="/acts/parked-release"');
  expect(all).toContain("acts need the role operator");

  const next = /rel="next" href="([^"]+)"/.exec(all)?.[1]?.replaceAll("&amp;", "&") ?? "no next page";
  const second = await stand.page(next);
  expect([...idsIn(all), ...idsIn(second)].toSorted()).toEqual([...broken, ...others].toSorted());
  expect(idsIn(await stand.page("/parked?reason=rule")).toSorted()).toEqual(broken.toSorted());
  expect(idsIn(await stand.page("/parked?drain=orders&reason=vanished"))).toEqual([]);
  expect((await stand.get("/parked?after=nonsense")).status).toBe(400);
  expect((await stand.get("/parked?source=nonsense")).status).toBe(400);
}, 90_000);

it("history is filtered by each of its cells, and goes on by its cursor", async () => {
  const stand = await startConsoleDaemon(redis.url(), document);
  stand.seed(3, { topicName: "orders" });
  await expect.poll(() => stand.page("/history"), { timeout: 30_000 }).toContain('href="/history?act=park"');
  const html = await stand.page("/history");
  for (const link of ["act=park", "drain=orders", "rule=broken", "host=127.0.0.1%3A", "by=daemon+"]) {
    expect(html).toContain(`href="/history?${link}`);
  }
  // An act was decided under the document of its time, so it links to no line of today's.
  expect(html).not.toContain('href="/rules#');
  expect(html).toMatch(/<time datetime="\d{4}-[^"]+Z" title="\d{4}-[^"]+\.\d{3}Z">/);
  const isEmpty = async (query: string): Promise<boolean> =>
    toText(await stand.page(`/history?${query}`)).includes("Nothing was done that fits.");
  expect(await isEmpty("act=park&drain=orders&rule=broken&host=127.0.0.1*&by=daemon*")).toBe(false);
  for (const other of [
    "act=drop",
    "drain=none",
    "rule=outage",
    "host=other",
    "by=ann",
    "to=2020-01-01T00:00",
    "to=2020-01-01",
  ]) {
    expect(await isEmpty(other)).toBe(true);
  }
  for (const wrong of ["act=nonsense", "from=last 3", "to=11.12.2026", "before=nonsense"]) {
    expect((await stand.get(`/history?${wrong}`)).status).toBe(400);
  }
}, 90_000);

it("rules have the document in force with its lines, and the replica that rejects its file with the problem", async () => {
  const stand = await startConsoleDaemon(redis.url(), document);
  stand.seed(2, { topicName: "orders" });
  const line = document.split("\n").findIndex((text) => text.includes("name: broken")) + 1;
  await expect
    .poll(async () => toText(await stand.page("/rules")), { timeout: 30_000 })
    .toContain("2 to park");
  const html = await stand.page("/rules");
  expect(html).toContain(`<li id="${line}"><code>      - name: broken</code></li>`);
  expect(html).toContain(`<a href="/rules#${line}"><bdi>broken</bdi></a>`);
  expect(html).not.toContain("aB3dE5fG7hJ9kL1mN3pQ");
  expect(toText(html)).toContain("none rejects its file");
  // What `rules check` warns of.
  const select = document.split("\n").findIndex((text) => text.includes("select:")) + 1;
  expect(html).toContain(`href="#${select}">line ${select}</a>`);
  expect(toText(html)).toMatch(/Warnings line \d+ .*topicName: what fails again .* is not listed any more/);

  const broken = document.replace("then: park", "then: <b>prak</b>");
  writeFileSync(`${stand.folder.path}/drains.yaml`, broken);
  await expect
    .poll(async () => toText(await stand.page("/rules")), { timeout: 30_000 })
    .toContain("and goes on under document");
  const rejected = await stand.page("/rules");
  expect(toText(rejected)).toMatch(new RegExp(`drains.yaml:${line + 2}:\\d+`));
  expect(rejected).not.toContain("<b>prak");
  expect(rejected).toContain(`<li id="${line + 2}"><code>        then: park</code></li>`);

  const other = `# a line more\n${document.replace("name: broken", "name: bad-request")}`;
  writeFileSync(`${stand.folder.path}/drains.yaml`, other);
  await expect
    .poll(() => stand.page("/rules"), { timeout: 30_000 })
    .toContain(`<a href="/rules#${line + 1}"><bdi>bad-request</bdi></a>`);
}, 90_000);

it("an index has its numbers as charts and as tables, and says which drain it holds back", async () => {
  const stand = await startConsoleDaemon(redis.url(), document);
  await expect.poll(() => stand.page("/indexes"), { timeout: 30_000 }).toContain('<svg class="chart"');
  const html = await stand.page("/indexes");
  expect(toText(html)).toContain("Index catalog holds back orders.");
  const figure = html.split('<figure class="chart">')[1]?.split("</figure>")[0] ?? "";
  const [, line = ""] = /<path class="line line0" d="M([^"]+)"/.exec(figure) ?? [];
  const points = line.split("L").map((point) => Number(point.split(" ")[1]));
  expect(points.length).toBeGreaterThan(1);
  // The table has the newest first, and the chart has it last: a hundred units are the number at its top.
  const values = [...figure.matchAll(/class="number">([\d,.]+)<\/td>/g)].map(([, value = ""]) =>
    Number(value.replaceAll(",", "")),
  );
  const [, words = ""] = /<text class="tick" x="-6"[^>]*>([^<]+)/.exec(figure) ?? [];
  const top = Number(words.replaceAll(",", "").replace("M", "000000"));
  expect(values).toHaveLength(points.length);
  expect(100 - (points.at(-1) ?? 0)).toBeCloseTo(((values[0] ?? 0) / top) * 100, 0);
}, 90_000);

function idsIn(html: string): string[] {
  return [...html.matchAll(/href="\/messages\/default\/([^"]+)"/g)].map(([, id = ""]) => id);
}

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { startDaemon } from "../../support/daemon.ts";
import { createDrainStage, readyz, type DrainStage } from "../../support/drain-stage.ts";
import { useRedis } from "../../support/redis.ts";
import { sideBySide } from "../../support/side-by-side.ts";
import { runToEnd } from "../../support/command.ts";

const redis = useRedis();

const setUp = (): Promise<DrainStage> => createDrainStage({ url: redis.url() });

it(
  "bad input is told, and the daemon stays alive or ends with 78",
  () =>
    sideBySide({
      "a token halts the source, and its file is read again until it is right: the daemon stays alive":
        async () => {
          const { emulator, setup, seed, deliveredOnce, emptied } = await setUp();
          const bodies = seed(10);
          const tokenFile = setup.folder.write("token", "wrong-token\n");
          const { REDRIVER_SERVICE_TOKEN: _token, ...env } = setup.env;
          const daemon = await startDaemon({ ...env, REDRIVER_SERVICE_TOKEN_FILE: tokenFile });
          const halted = await daemon.line(({ event }) => event === "source:halted");
          expect(halted).toMatchObject({ code: "unauthorised" });
          const ready = await fetch(`${daemon.address}/readyz`);
          expect(ready.status).toBe(503);
          const { reasons } = (await ready.json()) as { readonly reasons: readonly string[] };
          expect(reasons.join("\n")).toMatch(
            /^source default is halted: list at \S+: expected 2xx, got 401.*; the token is service\.tokenFile \(REDRIVER_SERVICE_TOKEN_FILE, \S+\) \(unauthorised; see docs\/errors\.md\)$/,
          );
          expect((await fetch(`${daemon.address}/livez`)).status).toBe(200);
          setup.folder.write("token", `${emulator.token}\n`);
          await daemon.line(({ event }) => event === "source:resumed", 60_000);
          await emptied(20_000);
          deliveredOnce(bodies);
          expect(JSON.stringify(daemon.log)).not.toContain("wrong-token");
          expect(JSON.stringify(daemon.log)).not.toContain(emulator.token);
        },
      "an archive that a drain drops to and that cannot be written is told at the start, everywhere":
        async () => {
          const { setup } = await setUp();
          const dir = setup.folder.write("no-directory", "");
          const text = readFileSync(`${setup.folder.path}/drains.yaml`, "utf8");
          setup.folder.write(
            "drains.yaml",
            text
              .replace("sources:", `archive: { dir: ${dir}, volume: ephemeral }\nsources:`)
              .replace("then: republish", "then: drop"),
          );
          const why = `expected to write to the archive in ${dir}, got something on the path that is not a directory (ENOTDIR); see archive.dir`;
          const daemon = await startDaemon(setup.env);
          expect(await daemon.line(({ event }) => event === "archive:failed")).toMatchObject({
            level: "error",
            message: why,
          });
          await expect
            .poll(() => readyz(daemon.address), { timeout: 30_000 })
            .toEqual({ ok: false, reasons: [`${why}; until then what main would drop is held`] });
          const metrics = await (await fetch(`${daemon.address}/metrics`)).text();
          expect(metrics).toContain('redriver_archive_volume{verdict="unfit"} 1');
          expect(metrics).toMatch(/^redriver_archive_failures_total\{source="default"\} 1$/m);
          // A replica reports itself every few seconds.
          await expect
            .poll(async () => (await runToEnd(["status", "main"], setup.env)).out, { timeout: 30_000 })
            .toContain(`  ${why}\n`);
          const check = await runToEnd(["config", "check"], setup.env);
          expect({ exitCode: check.exitCode, out: check.out }).toEqual({ exitCode: 78, out: "" });
          expect(check.err).toContain(why);
        },
      "a port that is taken is told with 78, at once": async () => {
        const { setup } = await setUp();
        const daemon = await startDaemon(setup.env);
        const port = new URL(daemon.address).port;
        const { exitCode, err } = await runToEnd(["run"], { ...setup.env, REDRIVER_HTTP_PORT: port });
        expect(exitCode).toBe(78);
        expect(err).toContain("REDRIVER_HTTP_PORT");
      },
    }),
  240_000,
);

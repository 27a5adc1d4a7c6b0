/**
 * Live traffic in a process of its own, straight to the receiver: through the emulator it would share its 64
 * deliveries with the drain, which the service does not. Offers so many requests a second; of those beyond
 * `most` under way it leaves out what would be more.
 *
 *     node live-load-main.js <url> <per second> <most under way>
 */
import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";

const [url = "", perSecond = "0", most = "0"] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(most) });
const startedAt = performance.now();
let offered = 0;
let underWay = 0;

function send(): void {
  const body = JSON.stringify({ id: `live-${offered}` });
  underWay += 1;
  const done = (): void => {
    underWay -= 1;
  };
  const sent = request(`${url}/live`, { method: "POST", agent }, (response) => {
    response.resume().once("close", done);
  });
  sent.once("error", done);
  sent.end(body);
}

setInterval(() => {
  const due = Math.floor(((performance.now() - startedAt) / 1_000) * Number(perSecond));
  for (; offered < due; offered += 1) if (underWay < Number(most)) send();
}, 5);
process.once("disconnect", () => process.exit(0));

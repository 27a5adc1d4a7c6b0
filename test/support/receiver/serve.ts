import { startConformanceReceiver } from "../conformance-receiver.ts";

/**
 * `serve.js [host] [port]`: the conformance suite's receiver for a service elsewhere; see CONTRIBUTING.md.
 */
const [host = "127.0.0.1", port = "9100"] = process.argv.slice(2);
const { url } = await startConformanceReceiver(host, Number(port));
process.stdout.write(`${url}\n`);

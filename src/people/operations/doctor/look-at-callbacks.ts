import { messageOf, ok, warning, type DoctorFinding } from "./finding.ts";

const withinMs = 5_000;

/**
 * Whether the address of callbacks leads to a server that answers as ours: 405 to a GET. The service calls from
 * outside, where names and ways may differ, so nothing here fails.
 */
export async function lookAtCallbacks(name: string, address: string): Promise<DoctorFinding> {
  const subject = `callbacks of ${name}`;
  try {
    const { status } = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(withinMs) });
    if (status === 405) return ok(subject, `${address} leads to a callback server of redriver`);
    return warning(
      subject,
      `expected 405 from ${address}, as a running daemon answers a GET, got ${status}; lanes then wait for silence`,
    );
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return warning(
      subject,
      `${address} cannot be reached from here (${messageOf(cause)}); if the service reaches it, all is well`,
    );
  }
}

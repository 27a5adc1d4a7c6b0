import { Socket } from "node:net";

/**
 * A TCP socket that can be reset, also under TLS. Node resets plain sockets only: resetAndDestroy throws on a
 * TLSSocket. A reset of the TCP socket under a TLSSocket crashes the process when the TLSSocket is destroyed
 * during a write [measured: Node 20.20, SIGSEGV]. So the TLSSocket is destroyed first, as in an ordinary
 * close, and the socket beneath turns the destroy that reaches it into a reset.
 */
export class ResettableSocket extends Socket {
  #carried: Socket | undefined;
  #resetting = false;

  carry(tls: Socket): void {
    this.#carried = tls;
  }

  override destroy(error?: Error): this {
    if (!this.#resetting) return super.destroy(error);
    this.#resetting = false;
    return this.resetAndDestroy();
  }

  /** Ends the connection at once: unsent bytes in the kernel are dropped, and the peer gets a TCP reset. */
  reset(): void {
    // Before it is connected nothing was sent, and a reset would wait for the connection.
    if (!this.destroyed && !this.connecting) this.#resetting = true;
    this.close();
  }

  close(): void {
    (this.#carried ?? this).destroy();
  }
}

import { openTcpPath, type TcpPath } from "../support/tcp-path.ts";

/** One time that a client waited for Redis, with all that it had sent by then. */
export type Round = string;

/** A path to Redis that records what its clients waited for. */
export interface RedisRounds extends TcpPath {
  /**
   * Of the connections that name themselves `name`, those that have ended. What is sent while an answer is
   * still to come rides along with what was sent before it.
   */
  of(name: string): readonly Round[];
}

interface Link {
  name: string;
  readonly rounds: Round[];
  isWaiting: boolean;
}

/**
 * Answers are held back for so long that whatever a client sends without waiting for one is here before it.
 * The next thing that it sends after an answer is a round of its own.
 */
const answerLaterMs = 5;

export async function startRedisRounds(redisPort: number): Promise<RedisRounds> {
  const links: Link[] = [];
  const path = await openTcpPath({ host: "127.0.0.1", port: redisPort }, (near, far) => {
    const link: Link = { name: "", rounds: [], isWaiting: false };
    links.push(link);
    for (const socket of [near, far]) socket.setNoDelay(true);
    near.on("data", (data) => {
      const text = data.toString("latin1");
      link.name ||= /redriver-[\w-]+/.exec(text)?.[0] ?? "";
      if (link.isWaiting) link.rounds[link.rounds.length - 1] += text;
      else link.rounds.push(text);
      link.isWaiting = true;
      far.write(data);
    });
    far.on("data", (data) => {
      setTimeout(() => {
        link.isWaiting = false;
        near.write(data);
      }, answerLaterMs);
    });
  });
  return {
    ...path,
    of: (name) => links.filter((link) => link.name === name).flatMap(({ rounds }) => rounds),
  };
}

/**
 * What a round has to do with lanes. `alone`: nothing else was in it, so without lanes it would not have
 * been.
 */
export interface LaneRound {
  readonly isAlone: boolean;
  /**
   * For a page: what it asks for, was granted and gives back, published, or met of come-backs. Else for a
   * look at what is watched.
   */
  readonly isOfPage: boolean;
}

/** Null: no lane is in it. */
export function toLaneRound(round: Round): LaneRound | null {
  const [, ...commands] = round.split(/\*\d+\r\n\$\d+\r\n(?=[A-Za-z]+\r\n)/);
  const ofLanes = commands.filter((command) => /:lanes:due\r\n/.test(command));
  if (ofLanes.length === 0) return null;
  return {
    isAlone: ofLanes.length === commands.length,
    isOfPage: ofLanes.some((command) => /"(?:asks|sent|unused|lanes)":/.test(command)),
  };
}

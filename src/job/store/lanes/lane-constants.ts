import { lateCheckMs } from "../../contracts/lanes.ts";

/** A lane that is idle for this long starts over: everything waiting for it has just failed. */
export const idleMs = 3_600_000;
/**
 * A message without attempts left stays with a halted lane for so long after the lane's last publish: daemons
 * may be down or paused for hours. Then it is parked.
 */
export const suspectMs = 24 * 3_600_000;
/** Listing checks are asked for every 15 s: several in a row have failed. */
export const blindAfterMs = 60_000;
export const forgetAfterMs = 7 * 86_400_000;
/** The come-backs of a larger step would be too many to record. */
export const maxStep = 10_000;
/** If a replica dies before its listing check, another is asked after a sweep's interval. */
export const checkEveryMs = lateCheckMs;
/** Minutes that a lane remembers: the windows of one pass, and about 150 bytes. */
export const maxResumeMinutes = 12;
/** Minutes for a probe: one message is enough, and what was in one minute may be gone. */
export const probeMinutes = 2;
/** How long a drain that was handed minutes has before others are. Something else may hold the messages. */
export const callAgainMs = 60_000;
/** A probe waits this long for a message that was no canary lately. */
export const repeatAfterMs = 60_000;
export const rememberedRoots = 10;
/** A lane that was open for so many watches starts at the shortest probe interval when it halts. */
export const steadyWatches = 10;
/** Lanes that one `due` reads. */
export const maxDue = 200;
/** A client sends a call again within seconds or not at all. */
export const markLifeMs = 60_000;
/** Steps that survived, and whose canaries may still fail: the watches in which one that waited comes back. */
export const maxJudged = 4;
/**
 * Watches that show nothing before a step is run again: 1, 1, 2, 4, 8 and then 15 minutes each, built in, so an
 * hour, with seven fresh canaries in it. An open lane, of which each has the same length, then starts over.
 */
export const watchesUntilAnew = 8;
/** A service is taken to deliver slowly for no longer than a watch may be set to. */
export const maxSlowMs = 3_600_000;
/** Reported deliveries that are remembered one by one: those of the last watches. 70 bytes each. */
export const maxDelivered = 5_000;

/** How far the horizon of a pass stays behind both clocks, so that records which share its last moment have arrived. */
export const horizonBehindMs = 5_000;

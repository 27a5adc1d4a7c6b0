/** Lua that begins every script with a clock: `now` is the server's time, Unix ms. */
export const serverTimeLua = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

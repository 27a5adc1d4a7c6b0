local oldestOpenAt, oldestPendingAt = oldest(openKey), oldest(pendingKey)
local function mayReturn()
  if redis.call('ZCARD', openKey) + redis.call('ZCARD', pendingKey) + redis.call('ZCARD', parkedKey) > 0 then return false end
  local known = redis.call('HMGET', metaKey, 'coolUntil', 'lostAt', 'returnedAt')
  -- Lives end by the server's clock.
  local server = now - ahead
  if server < tonumber(known[1] or 0) or server <= tonumber(known[2] or 0) + limits.horizon then return false end
  return now >= tonumber(known[3] or 0) + limits.backEvery
end
local changes = {}
if ahead > 0 and mayReturn() then
  local step = math.min(ahead, limits.backBy)
  now = now - step
  ahead = ahead - step
  changes = { 'returnedAt', now }
  -- Its age stays, or it would count as an acceptance of just now.
  local acceptedAt = redis.call('HGET', metaKey, 'lastAcceptedAt')
  if acceptedAt then changes = { 'returnedAt', now, 'lastAcceptedAt', acceptedAt - step } end
end
-- The sweep asks every few seconds, so lastNow is that precise even if nothing else is written. A full Redis
-- refuses this write, and the summary goes on without it.
redis.pcall('HSET', metaKey, 'lastNow', now, 'ahead', ahead, unpack(changes))
local function byServer(at)
  return at and at - ahead or cjson.null
end
return stamped({
  open = redis.call('ZCARD', openKey),
  unknown = redis.call('ZCOUNT', openKey, '-inf', '(' .. string.format('%.0f', now - limits.takeover)),
  oldestOpenAt = byServer(oldestOpenAt),
  pendingDelete = redis.call('ZCARD', pendingKey),
  oldestPendingAt = byServer(oldestPendingAt),
  failedDeletes = redis.call('SCARD', failedKey),
  settleGate = settleGateClosed() and 'closed' or 'open',
})

evenWhenFull()

local function mayGo(e)
  if e.s ~= 'published' and e.s ~= 'archived' then return false end
  if not call.unlistedSince then return true end
  return e.d == call.drain and e.at < call.unlistedSince and (e.w or 0) < call.unlistedSince
end

local count = 0
for _, id in ipairs(call.dlqIds) do
  local e = read(id)
  if e and e.s == 'gone' then
    count = count + 1
  elseif e and mayGo(e) then
    put(id, { s = 'gone', at = now, as = e.as, cb = e.cb })
    count = count + 1
  end
end
return stamped({ count = count })

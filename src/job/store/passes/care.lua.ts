/** What finds records that end workers (job/pass/work-carefully.ts): a part of pass-prelude.lua.ts, which says what it keeps. */
export const careLua = `
local function ownerOf(open) return open.owners and open.owners[call.windowId] end

local function careOf(open) return open.care and open.care[call.windowId] end

local carefulFrom, maxSuspects, maxUnworkable = 2, 200, 100

local function forgetMarks(care) care.marked, care.isLong, care.isListing = nil, nil, nil end
-- The worker that took the window last has neither ended nor left it. Of those that did something, many may have been
-- killed from outside.
local function noteLost(open)
  open.lostAt = now
  local did = open.soFar and open.soFar[call.windowId]
  open.care = open.care or {}
  local care = open.care[call.windowId] or { lost = 0 }
  if care.lost < carefulFrom and did and did.republished + did.deleted > 0 then
    open.care[call.windowId] = nil
    return
  end
  open.care[call.windowId] = care
  care.lost = care.lost + 1
  if care.marked then
    local suspects, count = open.suspects or {}, #care.marked
    for _ in pairs(suspects) do count = count + 1 end
    if count > maxSuspects then suspects = {} end
    for _, id in ipairs(care.marked) do suspects[id] = #care.marked end
    open.suspects = suspects
    -- If one is lost without it, its own losses may have the same reason.
    local first = care.marked[1]
    local before = open.alone and open.alone.id == first and open.alone or { id = first, lost = 0, long = 0 }
    local kind = care.isLong and 'long' or 'lost'
    before[kind] = before[kind] + 1
    open.alone = #care.marked == 1 and before or nil
  elseif care.isListing then
    care.listings = (care.listings or 0) + 1
  end
  forgetMarks(care)
end

-- For the worker that takes it, which begins with a listing.
local function careFor(open)
  local care = careOf(open)
  if not care or care.lost < carefulFrom then return nil end
  care.isListing = true
  return { suspects = open.suspects or {}, alone = open.alone, listings = care.listings or 0 }
end

-- The parts of a window begin as carefully.
local function handCareOn(open, parts)
  local care = careOf(open)
  if not care then return end
  open.care[call.windowId] = nil
  if care.lost < carefulFrom then return end
  for _, window in ipairs(parts) do
    open.care[window.windowId] = { lost = care.lost, listings = care.listings and 1 }
  end
end

-- What all passes and jobs of the source know.
local known = nil
local function readKnown()
  known = known or cjson.decode(redis.call('GET', knownKey) or '{}')
  return known
end
local function saveKnown(name, list)
  known[name] = list
  redis.call('SET', knownKey, cjson.encode(known))
end

local unlistableForMs = 86400000
local function unlistable()
  local moments = {}
  for _, one in ipairs(readKnown().unlistable or {}) do
    if now - one.since < unlistableForMs then moments[#moments + 1] = one end
  end
  return moments
end

local function addUnlistable(at)
  local moments = { { at = at, since = now } }
  for _, one in ipairs(unlistable()) do
    if one.at ~= at and #moments < maxUnworkable then moments[#moments + 1] = one end
  end
  saveKnown('unlistable', moments)
end

local function addUnworkable(ids)
  if #ids == 0 then return end
  local all = readKnown().unworkable or {}
  for _, id in ipairs(ids) do
    local isKnown = false
    for _, one in ipairs(all) do isKnown = isKnown or one == id end
    if not isKnown then all[#all + 1] = id end
    if #all > maxUnworkable then table.remove(all, 1) end
  end
  saveKnown('unworkable', all)
end
`;

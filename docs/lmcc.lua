-- lmcc: layered multicast congestion control
-- SPDX-License-Identifier: LGPL-2.1-or-later
--
-- Wireshark dissector for the header-extension element and the session record of
-- docs/wire-format.md: wireshark -X lua_script:docs/lmcc.lua
-- The element is looked for in RTP (Decode As, or rtp.heuristic_rtp), under the
-- identifier of the preference lmcc.identifier.

local lmcc = Proto ("lmcc", "Layered multicast")

local types = { [0] = "media", [1] = "repair", [2] = "filler", [3] = "probe" }

local f = {
  version = ProtoField.uint8 ("lmcc.version", "Version", base.DEC, nil, 0xc0),
  type = ProtoField.uint8 ("lmcc.type", "Type", base.DEC, types, 0x38),
  first = ProtoField.bool ("lmcc.first", "First of its unit", 8, nil, 0x04),
  last = ProtoField.bool ("lmcc.last", "Last of its unit", 8, nil, 0x02),
  more = ProtoField.bool ("lmcc.more", "Goes on above", 8, nil, 0x01),
  layer = ProtoField.uint8 ("lmcc.layer", "Layer", base.DEC, nil, 0xfc),
  switch = ProtoField.bool ("lmcc.switch_point", "Switch point", 8, nil, 0x02),
  burst = ProtoField.bool ("lmcc.burst", "Burst", 8, nil, 0x01),
  top = ProtoField.uint8 ("lmcc.top_layer", "Top layer", base.DEC, nil, 0xfc),
  table = ProtoField.uint8 ("lmcc.table", "Table", base.DEC, nil, 0x03),
  stream = ProtoField.uint8 ("lmcc.stream", "Stream", base.DEC, nil, 0xf0),
  class = ProtoField.uint8 ("lmcc.class", "Class", base.DEC, nil, 0x0f),
  slot = ProtoField.uint16 ("lmcc.slot", "Slot"),
  signal = ProtoField.int8 ("lmcc.signal", "Signal"),
  anchor = ProtoField.uint8 ("lmcc.anchor", "Anchor"),
  lsn = ProtoField.uint16 ("lmcc.lsn", "Layer sequence number"),
  osn = ProtoField.uint16 ("lmcc.osn", "Order sequence number"),
  time = ProtoField.uint32 ("lmcc.send_time", "Send time (1/65536 s)"),
  s0 = ProtoField.uint32 ("lmcc.record.ssrc", "Base SSRC", base.HEX),
  revision = ProtoField.uint16 ("lmcc.record.version", "Record version"),
  index = ProtoField.uint8 ("lmcc.record.index", "Fragment"),
  count = ProtoField.uint8 ("lmcc.record.count", "Fragments"),
  size = ProtoField.uint16 ("lmcc.record.size", "Size"),
  text = ProtoField.string ("lmcc.record.text", "Record"),
}
lmcc.fields = f
lmcc.prefs.identifier = Pref.uint ("Identifier", 1, "RFC 8285 identifier")

local rtp_version = Field.new ("rtp.version")
local rtcp_version = Field.new ("rtcp.version")
local udp_payload = Field.new ("udp.payload")

local function find_element (data)
  if data:len () < 16 or bit.band (data (0, 1):uint (), 0xd0) ~= 0x90 then
    return nil
  end
  local at = 12 + 4 * bit.band (data (0, 1):uint (), 0x0f)
  if at + 4 > data:len () or data (at, 2):uint () ~= 0xbede then
    return nil
  end
  local stop = at + 4 + 4 * data (at + 2, 2):uint ()
  if stop > data:len () then
    return nil
  end
  at = at + 4
  while at < stop do
    local octet = data (at, 1):uint ()
    local id, size = bit.rshift (octet, 4), bit.band (octet, 15) + 1
    if octet == 0 then
      at = at + 1
    elseif id == 0 or id == 15 or at + 1 + size > stop then
      return nil
    elseif id == lmcc.prefs.identifier then
      return size == 16 and data (at + 1, 16) or nil
    else
      at = at + 1 + size
    end
  end
  return nil
end

local function show_element (element, tree)
  local branch = tree:add (lmcc, element, "Layered multicast element")
  local function add (names, at, size)
    for _, name in ipairs (names) do
      branch:add (f[name], element (at, size))
    end
  end
  add ({ "version" }, 0, 1)
  if bit.rshift (element (0, 1):uint (), 6) ~= 1 then
    return
  end
  add ({ "type", "first", "last", "more" }, 0, 1)
  add ({ "layer", "switch", "burst" }, 1, 1)
  add ({ "top", "table" }, 2, 1)
  add ({ "stream", "class" }, 3, 1)
  add ({ "slot" }, 4, 2)
  add ({ "signal" }, 6, 1)
  add ({ "anchor" }, 7, 1)
  add ({ "lsn" }, 8, 2)
  add ({ "osn" }, 10, 2)
  add ({ "time" }, 12, 4)
end

local function show_records (data, tree)
  local at = 0
  while at + 4 <= data:len () do
    local size = 4 * (data (at + 2, 2):uint () + 1)
    if at + size > data:len () then
      return
    end
    if data (at, 1):uint () == 0x81 and data (at + 1, 1):uint () == 204
        and size > 20 and data (at + 8, 4):string () == "LMCC" then
      local part = data (at, size)
      local branch = tree:add (lmcc, part, "Layered multicast record")
      local length = part (16, 2):uint ()
      branch:add (f.s0, part (4, 4))
      branch:add (f.revision, part (12, 2))
      branch:add (f.index, part (14, 1))
      branch:add (f.count, part (15, 1))
      branch:add (f.size, part (16, 2))
      if length > 0 and 20 + length <= size then
        branch:add (f.text, part (20, length))
      end
    end
    at = at + size
  end
end

function lmcc.dissector (buffer, pinfo, tree)
  local payload = udp_payload ()
  if payload == nil then
    return
  end
  local data = payload.range
  if rtcp_version () ~= nil then
    show_records (data, tree)
  elseif rtp_version () ~= nil then
    local element = find_element (data)
    if element ~= nil then
      show_element (element, tree)
    end
  end
end

register_postdissector (lmcc)

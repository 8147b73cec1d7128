-- lmcc: layered multicast congestion control
-- SPDX-License-Identifier: LGPL-2.1-or-later
--
-- Wireshark dissector for the header-extension elements, the session record, the
-- join notices, reports and requests for key frames of docs/developers/wire-format.md: wireshark -X lua_script:docs/lmcc.lua
-- A record's tr is shown in seconds, and packets of a train are labelled with its level once
-- their session's record was seen.
-- The elements are looked for in RTP (Decode As, or rtp.heuristic_rtp), under the
-- identifier of the preference lmcc.identifier and the next.

local lmcc = Proto ("lmcc", "Layered multicast")

local types = { [0] = "media", [1] = "repair", [2] = "filler", [3] = "probe" }

local kinds = { [1] = "synchronized", [2] = "pgmcc", [3] = "TFMCC", [4] = "place" }

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
  train = ProtoField.uint8 ("lmcc.train", "Train for level"),
  lsn = ProtoField.uint16 ("lmcc.lsn", "Layer sequence number"),
  osn = ProtoField.uint16 ("lmcc.osn", "Order sequence number"),
  time = ProtoField.uint32 ("lmcc.send_time", "Send time (1/65536 s)"),
  kind = ProtoField.uint8 ("lmcc.second.kind", "Kind", base.DEC, kinds),
  elicit = ProtoField.bool ("lmcc.pgmcc.elicit", "Everybody answers", 8, nil, 0x80),
  acker = ProtoField.uint32 ("lmcc.pgmcc.acker", "Acker", base.HEX),
  confirmed = ProtoField.uint16 ("lmcc.pgmcc.confirmed_loss", "Confirmed loss (1/65536)"),
  nak_wait = ProtoField.double ("lmcc.pgmcc.nak_wait", "Wait before a NAK (ms)"),
  pgmcc_rtt = ProtoField.double ("lmcc.pgmcc.rtt", "Ackers' round-trip time (ms)"),
  t_round = ProtoField.uint8 ("lmcc.tfmcc.round", "Feedback round"),
  t_limiting = ProtoField.bool ("lmcc.tfmcc.limiting", "Is the limiting receiver", 8, nil, 0x80),
  t_receiver = ProtoField.uint32 ("lmcc.tfmcc.receiver", "Receiver", base.HEX),
  t_x_supp = ProtoField.double ("lmcc.tfmcc.suppression_rate", "Suppression rate (bit/s)"),
  t_echo = ProtoField.uint32 ("lmcc.tfmcc.echo", "Echoed time (1/65536 s)"),
  t_r_max = ProtoField.double ("lmcc.tfmcc.rtt_max", "Longest round-trip time (ms)"),
  p_ssrc = ProtoField.uint32 ("lmcc.report.ssrc", "Receiver", base.HEX),
  p_session = ProtoField.uint32 ("lmcc.report.base_ssrc", "Base SSRC", base.HEX),
  p_round = ProtoField.uint8 ("lmcc.report.round", "Feedback round"),
  p_rtt = ProtoField.bool ("lmcc.report.has_rtt", "Has a round-trip time", 8, nil, 0x80),
  p_event = ProtoField.bool ("lmcc.report.has_loss", "Has seen a loss event", 8, nil, 0x40),
  p_leaves = ProtoField.bool ("lmcc.report.leaves", "Leaves", 8, nil, 0x20),
  p_rate = ProtoField.double ("lmcc.report.rate", "Rate (bit/s)"),
  p_time = ProtoField.uint32 ("lmcc.report.time", "Time (1/65536 s)"),
  p_ack = ProtoField.bool ("lmcc.report.ack", "ACK", 8, nil, 0x80),
  p_loss = ProtoField.uint16 ("lmcc.report.loss", "Loss (1/65536)"),
  p_lead = ProtoField.uint16 ("lmcc.report.lead", "Highest sequence number"),
  p_sequence = ProtoField.uint16 ("lmcc.report.ack_sequence", "Acknowledged"),
  p_echo = ProtoField.uint32 ("lmcc.report.echo", "Echoed time (1/65536 s)"),
  p_lsn = ProtoField.uint16 ("lmcc.report.lsn", "Highest LSN of layer 0"),
  p_loss_rate = ProtoField.uint16 ("lmcc.report.loss_rate", "Lost packets in 1/65536"),
  p_burst = ProtoField.uint16 ("lmcc.report.burst", "Packets lost in a row in 1/256"),
  p_bitmap = ProtoField.uint32 ("lmcc.report.bitmap", "What came", base.HEX),
  levels = ProtoField.string ("lmcc.second.levels", "Levels that may go up"),
  place = ProtoField.int8 ("lmcc.second.place", "Place in the slot"),
  r_source = ProtoField.uint16 ("lmcc.repair.source", "SSRC, low bits", base.DEC, nil, 0xfff0),
  r_first = ProtoField.uint16 ("lmcc.repair.first", "First sequence number"),
  r_k = ProtoField.uint8 ("lmcc.repair.source_count", "Source packets"),
  r_step = ProtoField.uint8 ("lmcc.repair.step", "Step", base.DEC, nil, 0xf0),
  r_index = ProtoField.uint8 ("lmcc.repair.index", "Index"),
  r_count = ProtoField.uint8 ("lmcc.repair.count", "Repair packets"),
  r_carriers = ProtoField.uint8 ("lmcc.repair.carriers", "Layers that have repair, from the source's on", base.HEX),
  r_end = ProtoField.uint8 ("lmcc.repair.end", "End of the layer's part"),
  s0 = ProtoField.uint32 ("lmcc.record.ssrc", "Base SSRC", base.HEX),
  revision = ProtoField.uint16 ("lmcc.record.version", "Record version"),
  index = ProtoField.uint8 ("lmcc.record.index", "Fragment"),
  count = ProtoField.uint8 ("lmcc.record.count", "Fragments"),
  size = ProtoField.uint16 ("lmcc.record.size", "Size"),
  text = ProtoField.string ("lmcc.record.text", "Record"),
  level_layers = ProtoField.string ("lmcc.record.levels", "Layers of each level"),
  train_interval = ProtoField.double ("lmcc.record.train_interval", "Interval of the trains (s)"),
  receiver = ProtoField.uint32 ("lmcc.notice.ssrc", "Receiver", base.HEX),
  table_version = ProtoField.uint8 ("lmcc.notice.version", "Table version"),
  level = ProtoField.uint8 ("lmcc.notice.level", "Level"),
  session = ProtoField.uint32 ("lmcc.notice.base_ssrc", "Base SSRC", base.HEX),
}
lmcc.fields = f
lmcc.prefs.identifier = Pref.uint ("Identifier", 1, "RFC 8285 identifier")

local rtp_version = Field.new ("rtp.version")
local rtcp_version = Field.new ("rtcp.version")
local udp_payload = Field.new ("udp.payload")

-- Of each session, by its base SSRC: the fragments of its latest record, how often its
-- record says that trains come, in seconds, and whether its base carries no encoding.
-- Without a record nobody knows whether packets with the burst flag are a train or a
-- burst of RLC's.
local records, trains, thin = {}, {}, {}

function lmcc.init ()
  records, trains, thin = {}, {}, {}
end

local units = { s = 1, ms = 1e-3, us = 1e-6, ns = 1e-9 }

-- The value of tr in a whole record, in seconds; 0 where it has none.
local function find_train_interval (text)
  local line = text:match ("a=x%-lmcc:1([^\r\n]*)") or ""
  local value, unit = (line .. " "):match (" tr=(%d+)([mun]?s) ")
  return value ~= nil and tonumber (value) * units[unit] or 0
end

-- The layers of each level as a whole record's lv lists them; nil where it has none.
local function find_levels (text)
  local line = text:match ("a=x%-lmcc:1([^\r\n]*)") or ""
  local list = (line .. " "):match (" lv=([%x,]+) ")
  local levels = {}
  if list == nil then
    return nil
  end
  for set in list:gmatch ("%x+") do
    local layers = {}
    for place = 1, #set do
      local digit = tonumber (set:sub (-place, -place), 16)
      for i = 0, 3 do
        if bit.band (bit.rshift (digit, i), 1) == 1 then
          table.insert (layers, 4 * (place - 1) + i)
        end
      end
    end
    table.insert (levels, table.concat (layers, "+"))
  end
  return table.concat (levels, ", ")
end

-- Returns the text of a record that is whole with this fragment, else nil.
local function take_fragment (session, revision, index, count, text)
  local record = records[session]
  if record == nil or record.revision ~= revision or record.count ~= count then
    record = { revision = revision, count = count, parts = {} }
    records[session] = record
  end
  record.parts[index] = text
  for i = 0, count - 1 do
    if record.parts[i] == nil then
      return nil
    end
  end
  local whole = table.concat (record.parts, "", 0, count - 1)
  trains[session] = find_train_interval (whole)
  thin[session] = whole:find (" l=%d+:14%.") ~= nil
  return whole
end

-- The data of our first and second element, as far as they are there, and where the
-- payload begins.
local function find_elements (data)
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
  local first = lmcc.prefs.identifier
  local found = {}
  while at < stop do
    local octet = data (at, 1):uint ()
    local id, size = bit.rshift (octet, 4), bit.band (octet, 15) + 1
    if octet == 0 then
      at = at + 1
    elseif id == 0 or id == 15 then
      break
    elseif at + 1 + size > stop then
      return nil
    else
      found[id] = found[id] or data (at + 1, size)
      at = at + 1 + size
    end
  end
  local element = found[first]
  if element ~= nil and element:len () ~= 16 then
    element = nil
  end
  return element, found[first % 14 + 1], stop
end

-- A train is of packets of the layers below its level. Where the base has no video, the layer
-- with the level's number has some, too.
local function show_train (element, session, branch, pinfo)
  local level = element (6, 1):int ()
  if (trains[session] or 0) == 0 or level < 1 or bit.band (element (1, 1):uint (), 1) == 0
      or bit.rshift (element (1, 1):uint (), 2) >= level + (thin[session] and 1 or 0) then
    return
  end
  branch:add (f.train, element (6, 1), level)
  branch:append_text (", train for level " .. level)
  pinfo.cols.info:append (" [train for level " .. level .. "]")
end

local function show_element (element, session, tree, pinfo)
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
  show_train (element, session, branch, pinfo)
end

-- RFC 4654 section 2.2: rates and times of a few bits; all ones is no limit.
local function rate_of (code)
  if code == 0xfff then
    return math.huge
  end
  return 100 * (1 + code % 128 / 128) * 2 ^ math.floor (code / 128)
end

local function time_of (code)
  return (1 + code % 16 / 16) * 2 ^ math.floor (code / 16)
end

local function show_pgmcc (second, branch)
  branch:add (f.elicit, second (1, 1))
  if bit.band (second (1, 1):uint (), 0x40) ~= 0 then
    branch:add (f.acker, second (2, 4))
  end
  if bit.band (second (1, 1):uint (), 0x20) ~= 0 then
    branch:add (f.confirmed, second (6, 2))
  end
  branch:add (f.nak_wait, second (8, 1), time_of (second (8, 1):uint ()))
  if bit.band (second (1, 1):uint (), 0x10) ~= 0 then
    branch:add (f.pgmcc_rtt, second (9, 1), time_of (second (9, 1):uint ()))
  end
end

local function show_tfmcc (second, branch)
  local has_receiver = bit.band (second (2, 1):uint (), 0x40) ~= 0
  branch:add (f.t_round, second (1, 1))
  branch:add (f.t_x_supp, second (2, 2), rate_of (bit.band (second (2, 2):uint (), 0xfff)))
  if has_receiver then
    branch:add (f.t_limiting, second (2, 1))
    branch:add (f.t_receiver, second (4, 4))
    branch:add (f.t_echo, second (8, 4))
  end
  branch:add (f.t_r_max, second (12, 1), time_of (second (12, 1):uint ()))
end

local function show_second (second, top_layer, tree)
  local branch = tree:add (lmcc, second, "Second element")
  local kind = second (0, 1):uint ()
  branch:add (f.kind, second (0, 1))
  if kind == 2 and second:len () >= 10 then
    show_pgmcc (second, branch)
  elseif kind == 3 and second:len () >= 13 then
    show_tfmcc (second, branch)
  elseif kind == 4 and second:len () >= 2 and second (1, 1):int () ~= 0 then
    branch:add (f.place, second (1, 1))
  end
  if kind ~= 1 or second:len () < 2 then
    return
  end
  local levels = {}
  for level = 0, math.min (8 * (second:len () - 1), top_layer) - 1 do
    local octet = second (1 + math.floor (level / 8), 1):uint ()
    if bit.band (octet, bit.rshift (0x80, level % 8)) ~= 0 then
      table.insert (levels, level)
    end
  end
  branch:add (f.levels, second (1), table.concat (levels, ","))
end

local function show_record (part, tree)
  local branch = tree:add (lmcc, part, "Layered multicast record")
  local length = part (16, 2):uint ()
  branch:add (f.s0, part (4, 4))
  branch:add (f.revision, part (12, 2))
  branch:add (f.index, part (14, 1))
  branch:add (f.count, part (15, 1))
  branch:add (f.size, part (16, 2))
  if length > 0 and 20 + length <= part:len () then
    branch:add (f.text, part (20, length))
    local whole = take_fragment (part (4, 4):uint (), part (12, 2):uint (), part (14, 1):uint (),
      part (15, 1):uint (), part (20, length):string ())
    if whole ~= nil and find_train_interval (whole) > 0 then
      branch:add (f.train_interval, part (20, length), find_train_interval (whole))
    end
    if whole ~= nil and find_levels (whole) ~= nil then
      branch:add (f.level_layers, part (20, length), find_levels (whole))
    end
  end
end

local function show_notice (part, tree)
  local branch = tree:add (lmcc, part, "Layered multicast join notice")
  branch:add (f.receiver, part (4, 4))
  branch:add (f.table_version, part (12, 1))
  branch:add (f.level, part (13, 1))
  branch:add (f.session, part (16, 4))
end

local function show_tfmcc_report (part, tree)
  local branch = tree:add (lmcc, part, "TFMCC report")
  branch:add (f.p_ssrc, part (4, 4))
  branch:add (f.p_session, part (12, 4))
  branch:add (f.p_round, part (16, 1))
  branch:add (f.p_rtt, part (18, 1))
  branch:add (f.p_event, part (18, 1))
  branch:add (f.p_leaves, part (18, 1))
  branch:add (f.p_rate, part (18, 2), rate_of (bit.band (part (18, 2):uint (), 0xfff)))
  branch:add (f.p_time, part (20, 4))
  branch:add (f.p_echo, part (24, 4))
end

local function show_pgmcc_report (part, tree)
  local branch = tree:add (lmcc, part, "pgmcc report")
  branch:add (f.p_ssrc, part (4, 4))
  branch:add (f.p_session, part (12, 4))
  branch:add (f.p_ack, part (16, 1))
  branch:add (f.p_loss, part (18, 2))
  branch:add (f.p_lead, part (20, 2))
  branch:add (f.p_sequence, part (22, 2))
  branch:add (f.p_echo, part (24, 4))
  if part:len () >= 32 then
    branch:add (f.p_bitmap, part (28, 4))
  end
end

local function show_key_request (part, tree)
  local branch = tree:add (lmcc, part, "Request for a key frame")
  branch:add (f.p_ssrc, part (4, 4))
  branch:add (f.p_session, part (12, 4))
  branch:add (f.p_lsn, part (16, 2))
end

local function show_key_notice (part, tree)
  local branch = tree:add (lmcc, part, "A request for a key frame was heard")
  branch:add (f.p_session, part (4, 4))
end

local function show_address_claim (part, tree)
  local branch = tree:add (lmcc, part, "A sender claims this address")
  branch:add (f.p_session, part (4, 4))
end

local function show_losses (part, tree)
  local branch = tree:add (lmcc, part, "A receiver's losses")
  branch:add (f.p_ssrc, part (4, 4))
  branch:add (f.p_loss_rate, part (12, 2))
  branch:add (f.p_burst, part (14, 2))
end

local function show_app (part, tree)
  local octet = part (0, 1):uint ()
  if part (1, 1):uint () ~= 204 or part:len () < 12
      or part (8, 4):string () ~= "LMCC" then
    return
  end
  if octet == 0x81 and part:len () > 20 then
    show_record (part, tree)
  elseif octet == 0x82 and part:len () == 20 then
    show_notice (part, tree)
  elseif octet == 0x83 and part:len () == 28 then
    show_tfmcc_report (part, tree)
  elseif octet == 0x84 and part:len () >= 28 then
    show_pgmcc_report (part, tree)
  elseif octet == 0x85 and part:len () == 20 then
    show_key_request (part, tree)
  elseif octet == 0x86 and part:len () == 12 then
    show_key_notice (part, tree)
  elseif octet == 0x87 and part:len () == 12 then
    show_address_claim (part, tree)
  elseif octet == 0x88 and part:len () >= 16 then
    show_losses (part, tree)
  end
end

local function show_repair (payload, tree)
  if bit.band (payload (1, 1):uint (), 0x0f) ~= 2 or payload:len () <= 10 then
    return
  end
  local branch = tree:add (lmcc, payload, "Repair of a block")
  branch:add (f.r_source, payload (0, 2))
  branch:add (f.r_first, payload (2, 2))
  branch:add (f.r_k, payload (4, 1))
  branch:add (f.r_step, payload (5, 1))
  branch:add (f.r_index, payload (6, 1))
  branch:add (f.r_count, payload (7, 1))
  branch:add (f.r_carriers, payload (8, 1))
  branch:add (f.r_end, payload (9, 1))
end

local function show_packets (data, tree)
  local at = 0
  while at + 4 <= data:len () do
    local size = 4 * (data (at + 2, 2):uint () + 1)
    if at + size > data:len () then
      return
    end
    show_app (data (at, size), tree)
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
    show_packets (data, tree)
  elseif rtp_version () ~= nil then
    local element, second, start = find_elements (data)
    if element ~= nil then
      local session = bit.band (data (8, 4):uint (), 0xfffff000)
      show_element (element, session % 2 ^ 32, tree, pinfo)
      if second ~= nil then
        show_second (second, bit.rshift (element (2, 1):uint (), 2), tree)
      end
      if bit.band (bit.rshift (element (0, 1):uint (), 3), 7) == 1
          and data:len () >= start + 10 then
        show_repair (data (start), tree)
      end
    end
  end
end

register_postdissector (lmcc)

# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# One TFRC and four Sack1 behind a drop-tail link, as in simulation 3 of Colussi 2004: 60 ms, a queue of two
# bandwidth-delay products, packets of 1000 bytes, TFRC at 10 s, TCP in 0 to 20 s; rates from 30 to 300 s, kbit/s.
#
#     ns tests/sim/ns2/tfrc.tcl MBIT/S SEED [OVERHEAD]
#
# OVERHEAD is the largest random time of a host for a packet, s. The default, 0.0027, is the time of a packet at
# 3 Mbit/s, as in tests/sim. With 0 it depends on their phase whether evenly spaced packets meet a full queue. ns is
# ns-2.35 (Debian: ns2).
lassign $argv mbit seed overhead
if {$overhead eq ""} { set overhead 0.0027 }
set begin 30
set end 300
set ns [new Simulator]
set random [new RNG]
ns-random $seed
$random seed $seed
Agent/TCP set packetSize_ 960
Agent/TCP set window_ 1000
Agent/TCP set overhead_ $overhead
Agent/TFRC set packetSize_ 1000
Agent/TFRC set overhead_ $overhead

set near [$ns node]
set far [$ns node]
set queue [expr {int (2 * $mbit * 1e6 * 0.06 / 8 / 1000)}]
$ns duplex-link $near $far ${mbit}Mb 10ms DropTail
$ns queue-limit $near $far $queue
$ns queue-limit $far $near $queue

proc host {router} {
  global ns
  set host [$ns node]
  $ns duplex-link $host $router 100Mb 10ms DropTail
  $ns queue-limit $host $router 5000
  $ns queue-limit $router $host 5000
  return $host
}

proc connect {source sink flow} {
  global ns near far
  $ns attach-agent [host $near] $source
  $ns attach-agent [host $far] $sink
  $ns connect $source $sink
  $source set fid_ $flow
}

set tfrc [new Agent/TFRC]
connect $tfrc [new Agent/TFRCSink] 0
$ns at 10 "$tfrc start"
for {set flow 1} {$flow <= 4} {incr flow} {
  set tcp [new Agent/TCP/Sack1]
  connect $tcp [new Agent/TCPSink/Sack1] $flow
  set ftp [new Application/FTP]
  $ftp attach-agent $tcp
  $ns at [$random uniform 0 20] "$ftp start"
}

set monitor [$ns makeflowmon Fid]
$ns attach-fmon [$ns link $near $far] $monitor

proc remember {} {
  global monitor before
  foreach flow [$monitor flows] {
    set before([$flow set flowid_]) [$flow set bdepartures_]
  }
}

proc finish {} {
  global monitor before begin end mbit seed
  set sum 0
  foreach flow [$monitor flows] {
    set id [$flow set flowid_]
    set rate [expr {([$flow set bdepartures_] - $before($id)) * 8 / 1000.0 / ($end - $begin)}]
    if {$id == 0} { set tfrc $rate } else { set sum [expr {$sum + $rate}] }
  }
  puts [format "%s Mbit/s, seed %s: TFRC %.0f, each TCP %.0f kbit/s" $mbit $seed $tfrc [expr {$sum / 4}]]
  exit 0
}

$ns at $begin remember
$ns at $end finish
$ns run

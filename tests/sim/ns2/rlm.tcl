# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# ns-2's own RLM on the tree of figure 2 of Legout and Biersack 2000, with the links of
# tests/sim/scenarios/legout-rlm-thin.json. Prints when R1 first holds the level that fits, and the losses.
#
#     ns tests/sim/ns2/rlm.tcl SEED LAYERS RATE...
#
# LAYERS is the number of layers that fit into R1's 256 kbit/s, RATE the rate of each layer, bit/s. ns is ns-2.35
# (Debian: ns2).
set rates [lassign $argv seed fitting]
set end 1000
set packet_size 500
Queue/DropTail set limit_ 20
ns-random $seed

# Procedures that ns-2's RLM requires of its script.
proc uniform01 {} {
  return [expr {double (([ns-random] % 10000000) + 1) / 1e7}]
}

proc trunc_exponential {mean} {
  while 1 {
    set value [expr {-$mean * log ([uniform01])}]
    if {$value < 4 * $mean} { return $value }
  }
}

proc ns-now {} {
  global ns
  return [$ns now]
}

Simulator instproc create-agent {node type class} {
  set agent [new $type]
  $agent set fid_ $class
  $self attach-agent $node $agent
  return $agent
}

# Called before and after each change of the level.
MMG instproc dumpLevel {} {
  global reached fitting
  $self instvar subscription_
  if {$subscription_ >= $fitting && ![info exists reached($self)]} { set reached($self) [ns-now] }
}

set ns [new Simulator -multicast on]

proc link {from to delay rate} {
  global ns node
  foreach name [list $from $to] {
    if {![info exists node($name)]} { set node($name) [$ns node] }
  }
  $ns duplex-link $node($from) $node($to) $rate $delay DropTail
}

link S N1 10ms 1000e3
link N1 R1 50ms 256e3
link N1 N2 100ms 128e3
link N2 R2 50ms 250e3
link N2 R4 30ms 56e3
link N2 N3 30ms 64e3
link N3 R3 5ms 10e6

set control [Node allocaddr]
set groups {}
foreach rate $rates {
  set group [Node allocaddr]
  lappend groups $group
  set agent [$ns create-agent $node(S) Agent/UDP [llength $groups]]
  $agent set dst_addr_ $group
  $agent set dst_port_ 0
  set source [new Application/Traffic/CBR]
  $source attach-agent $agent
  $source set packetSize_ $packet_size
  $source set interval_ [expr {$packet_size * 8.0 / $rate}]
  $source set random_ 1
  $ns at 0 "$source start"
}

proc listen {name} {
  global ns node control groups receiver
  set receiver($name) [new MMG/ns $ns $node($name) $control $groups]
}

set names {R1 R2 R3 R4}
foreach name $names { $ns at [uniform01] "listen $name" }
DM set PruneTimeout 1000
$ns mrtproto DM {}

proc share {lost came} {
  return [expr {double ($lost) / max ($lost + $came, 1)}]
}

proc finish {} {
  global names receiver reached seed
  set lost 0
  set came 0
  set sum 0
  foreach name $names {
    set l [expr {int ([$receiver($name) mmg_loss])}]
    set c [expr {int ([$receiver($name) mmg_pkts])}]
    incr lost $l
    incr came $c
    set sum [expr {$sum + [share $l $c]}]
  }
  set time [expr {[info exists reached($receiver(R1))] ? [format %.0f $reached($receiver(R1))] : "not"}]
  puts [format "seed %s: R1 at the level that fits after %s s; lost: %.4f in the mean of the receivers, %.4f of all packets" \
    $seed $time [expr {$sum / [llength $names]}] [share $lost $came]]
  exit 0
}

$ns at $end finish
$ns run

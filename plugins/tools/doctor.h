/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_DOCTOR_H
#define LMCC_DOCTOR_H

#include "tool.h"

#include <gst/lmcc/lmcc-session.h>
#include <gst/lmcc/sender/rivals.h>
#include <gst/lmcc/wire/rtcp.h>

G_BEGIN_DECLS

typedef enum
{
  DOCTOR_OK,
  DOCTOR_SKIP,
  DOCTOR_WARN,
  DOCTOR_FAIL,
} DoctorStatus;

/**
 * DoctorInterface:
 * @name: of the interface
 * @up: the administrator switched it on
 * @carrier: it has a link, or has no notion of one
 * @loopback: it is lo
 * @multicast: it says that it can send multicast
 * @wireless: it is a radio
 * @master: (nullable): the bridge that it is a port of
 * @bridge: it is a bridge
 * @snooping: the bridge forwards groups only to ports that asked
 * @querier: the bridge asks who wants which group
 */
typedef struct
{
  gchar *name;
  gboolean up;
  gboolean carrier;
  gboolean loopback;
  gboolean multicast;
  gboolean wireless;
  gchar *master;
  gboolean bridge;
  gboolean snooping;
  gboolean querier;
} DoctorInterface;

typedef struct
{
  LmccAddress group;
  gchar *iface;
} DoctorMembership;

typedef struct
{
  guint uid;
  guint64 inode;
} DoctorPortUser;

/* The state of a host, from /proc and /sys below @root. */
typedef struct
{
  gchar *root;
  GPtrArray *interfaces;
} DoctorSystem;

typedef struct
{
  gchar *check;
  DoctorStatus status;
  gchar *finding;
  gchar *remedy;
} DoctorFinding;

/**
 * DoctorCase:
 * @system: the host
 * @uri: (nullable): the session that does not come
 * @group: the base group, or one like it
 * @iface: (nullable): the interface where the group would be joined
 * @findings: what was found so far
 */
typedef struct
{
  DoctorSystem *system;
  const ToolUri *uri;
  LmccAddress group;
  const DoctorInterface *iface;
  GPtrArray *findings;
} DoctorCase;

/**
 * DoctorProbe:
 * @media_packets: RTP packets on the base group
 * @other_packets: packets there that are not RTP
 * @rtcp_packets: packets on the next port
 * @records: parts of the first session's record among them
 * @sender: where the first packet came from
 * @ttl: what was left of its time to live, -1 if unknown
 * @joined: the kernel lists the group as joined while the probe listens
 * @ssrc_base: of the session whose record came first
 * @first_record: when, of g_get_monotonic_time()
 * @record_sender: where it came from
 * @assembler: of its records
 * @has_session: a whole one came
 * @session: it
 * @rivals: other sessions
 * @rival: where one of them comes from; of no family if there is none
 */
typedef struct
{
  guint64 media_packets;
  guint64 other_packets;
  guint64 rtcp_packets;
  guint64 records;
  LmccAddress sender;
  gint ttl;
  gboolean joined;
  guint32 ssrc_base;
  gint64 first_record;
  LmccAddress record_sender;
  LmccRecordAssembler *assembler;
  gboolean has_session;
  LmccSession session;
  LmccSenderRivals rivals;
  LmccAddress rival;
} DoctorProbe;

DoctorSystem *doctor_system_new (const gchar *root);
void doctor_system_free (DoctorSystem *system);
gboolean doctor_system_is_live (const DoctorSystem *system);
gchar *doctor_system_read (const DoctorSystem *system, const gchar *path);
gboolean doctor_system_read_number (const DoctorSystem *system, gint64 *value,
    const gchar *path_format, ...) G_GNUC_PRINTF (3, 4);
const DoctorInterface *
doctor_system_find_interface (const DoctorSystem *system, const gchar *name);
gchar *doctor_system_route (const DoctorSystem *system,
    const LmccAddress *destination);
gboolean doctor_system_gateway (const DoctorSystem *system,
    const LmccAddress *destination, LmccAddress *gateway);
guint
doctor_system_igmp_version (const DoctorSystem *system, const gchar *iface);
GArray *
doctor_system_memberships (const DoctorSystem *system, LmccFamily family);
GArray *doctor_system_port_users (const DoctorSystem *system, guint16 port);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DoctorSystem, doctor_system_free)

void doctor_add (DoctorCase *c, const gchar *check, DoctorStatus status,
    gchar *finding, gchar *remedy);
void doctor_check_address (DoctorCase *c);
void doctor_check_interfaces (DoctorCase *c);
void doctor_check_route (DoctorCase *c, const gchar *wanted_iface);
void doctor_check_wireless (DoctorCase *c);
void doctor_check_ttl (DoctorCase *c);
void doctor_check_rp_filter (DoctorCase *c);
void doctor_check_igmp_version (DoctorCase *c);
void doctor_check_memberships (DoctorCase *c);
void doctor_check_receive_buffer (DoctorCase *c);
void doctor_check_firewall (DoctorCase *c);
void doctor_check_snooping (DoctorCase *c);
void doctor_check_port (DoctorCase *c);

void doctor_check_querier (DoctorCase *c, guint seconds);
void doctor_check_arrival (DoctorCase *c, guint seconds);
void doctor_check_leaves (DoctorCase *c, const DoctorProbe *probe);
gchar *doctor_find_router (const DoctorCase *c);
gboolean doctor_is_joined (const DoctorCase *c, const LmccAddress *group);
gboolean doctor_is_this_host (const LmccAddress *address);
gchar *doctor_interface_of_address (const gchar *text);
gboolean doctor_port_is_taken (const LmccAddress *address, guint16 port);
gint doctor_open_joined (const ToolUri *uri, const LmccAddress *group,
    guint16 port, guint ifindex);
void
doctor_probe_listen (gint media, gint rtcp, DoctorProbe *probe, guint seconds);

G_END_DECLS

#endif

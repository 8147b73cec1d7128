/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Replacements for ThreadSanitizer. GLib and GStreamer are not built for it,
 * so it does not see how their locks, conditions and reference counts order
 * the accesses of threads. The functions here replace theirs in the test
 * programs and tell the sanitizer.
 */
#include <dlfcn.h>
#include <glib-object.h>
#include <gst/gst.h>

/* From the sanitizer's runtime (sanitizer/tsan_interface.h). */
void __tsan_acquire (void *at);
void __tsan_release (void *at);

#define EXPORTED __attribute__ ((visibility ("default")))

/* The library's own function of the same name. */
#define REAL(function)                                        \
  static __typeof__ (function) *real;                         \
  if (__atomic_load_n (&real, __ATOMIC_ACQUIRE) == NULL)      \
  __atomic_store_n (&real,                                    \
      (__typeof__ (function) *) dlsym (RTLD_NEXT, #function), \
      __ATOMIC_RELEASE)

EXPORTED void (g_mutex_lock) (GMutex *mutex)
{
  REAL (g_mutex_lock);
  real (mutex);
  __tsan_acquire (mutex);
}

EXPORTED
gboolean (g_mutex_trylock) (GMutex *mutex)
{
  REAL (g_mutex_trylock);
  if (!real (mutex))
    return FALSE;
  __tsan_acquire (mutex);

  return TRUE;
}

EXPORTED void (g_mutex_unlock) (GMutex *mutex)
{
  REAL (g_mutex_unlock);
  __tsan_release (mutex);
  real (mutex);
}

/* Behind a recursive lock lie a lock that the sanitizer sees, and memory
 * whose handover it does not see. */
EXPORTED void
g_rec_mutex_init (GRecMutex *mutex)
{
  REAL (g_rec_mutex_init);
  real (mutex);
  __tsan_release (mutex);
}

EXPORTED void
g_rec_mutex_lock (GRecMutex *mutex)
{
  REAL (g_rec_mutex_lock);
  __tsan_acquire (mutex);
  real (mutex);
  __tsan_release (mutex);
}

EXPORTED void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  REAL (g_cond_wait);
  __tsan_release (mutex);
  real (cond, mutex);
  __tsan_acquire (mutex);
}

EXPORTED gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  gboolean signalled;

  REAL (g_cond_wait_until);
  __tsan_release (mutex);
  signalled = real (cond, mutex, end_time);
  __tsan_acquire (mutex);

  return signalled;
}

EXPORTED
gboolean (g_once_init_enter) (volatile void *location)
{
  REAL (g_once_init_enter);
  if (real (location))
    return TRUE;
  __tsan_acquire ((void *) location);

  return FALSE;
}

EXPORTED void (g_once_init_leave) (volatile void *location, gsize result)
{
  REAL (g_once_init_leave);
  __tsan_release ((void *) location);
  real (location, result);
}

/* The thread that drops the last reference has seen the writes of all
 * others. */
EXPORTED void (g_object_unref) (gpointer object)
{
  REAL (g_object_unref);
  __tsan_release (object);
  __tsan_acquire (object);
  real (object);
}

EXPORTED void
gst_object_unref (gpointer object)
{
  REAL (gst_object_unref);
  __tsan_release (object);
  __tsan_acquire (object);
  real (object);
}

EXPORTED void
gst_mini_object_unref (GstMiniObject *object)
{
  REAL (gst_mini_object_unref);
  __tsan_release (object);
  __tsan_acquire (object);
  real (object);
}

/* A queue without locks hands a message from one thread to another. */
EXPORTED gboolean
gst_bus_post (GstBus *bus, GstMessage *message)
{
  REAL (gst_bus_post);
  __tsan_release (bus);

  return real (bus, message);
}

EXPORTED GstMessage *
gst_bus_timed_pop_filtered (GstBus *bus, GstClockTime timeout,
    GstMessageType types)
{
  GstMessage *message;

  REAL (gst_bus_timed_pop_filtered);
  message = real (bus, timeout, types);
  __tsan_acquire (bus);

  return message;
}

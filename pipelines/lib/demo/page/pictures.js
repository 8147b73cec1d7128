// lmcc: layered multicast congestion control
// SPDX-License-Identifier: LGPL-2.1-or-later

// Decodes a receiver's coded pictures and draws them on arrival; the server sends each at its presentation time.

// High profile, as x264 makes it for 640x360; the stream itself has the exact values.
const CODEC = 'avc1.64001e';

export const canDecode = 'VideoDecoder' in window;

export class Pictures {
  constructor(canvas, onCount) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.onCount = onCount;
    this.count = 0;
    this.number = 0;
    this.hidden = new Set();
    this.decoder = null;
  }

  begin() {
    this.hidden.clear();
    this.decoder = new VideoDecoder({
      output: (frame) => this.draw(frame),
      error: () => { this.decoder = null; },
    });
    this.decoder.configure({ codec: CODEC, optimizeForLatency: true });
  }

  draw(frame) {
    // After a change to a lower level, some pictures are for the decoder only.
    if (!this.hidden.delete(frame.timestamp)) {
      if (this.canvas.width !== frame.displayWidth || this.canvas.height !== frame.displayHeight) {
        this.canvas.width = frame.displayWidth;
        this.canvas.height = frame.displayHeight;
      }
      this.context.drawImage(frame, 0, 0);
      this.count += 1;
      this.onCount(this.count);
    }
    frame.close();
  }

  push(key, shown, data) {
    if (!canDecode) return;
    if (!this.decoder || this.decoder.state === 'closed') {
      if (!key) return;
      this.begin();
    }
    // A decoder that cannot keep up restarts with a key picture.
    if (this.decoder.decodeQueueSize > 48) {
      this.decoder.close();
      this.decoder = null;
      return;
    }
    const timestamp = this.number++ * 1000;
    if (!shown) this.hidden.add(timestamp);
    try {
      this.decoder.decode(new EncodedVideoChunk({ type: key ? 'key' : 'delta', timestamp, data }));
    } catch {
      this.decoder = null;
    }
  }
}

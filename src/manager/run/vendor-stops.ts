import type { AskRequest } from '#core/llm/ask.ts';
import type { Model } from '#models/model.ts';

/** How a vendor is asked for an answer with stop texts. */
export interface VendorStops {
  /** The stop texts that the vendor gets; we end the answer at all of them. */
  readonly sent: readonly string[];
  /** A stream can be ended at a stop text that the vendor does not know. */
  readonly delivery: 'stream' | 'whole';
}

/** Selects the stop texts that a vendor takes. The answer is ended at the others by us. */
export function vendorStops(
  { stop = [], stopBy = 'vendor', delivery = 'stream' }: AskRequest,
  { maxStops, maxStopBytes = Infinity }: Pick<Model, 'maxStops' | 'maxStopBytes'>,
): VendorStops {
  const isTaken = (text: string) => Buffer.byteLength(text) <= maxStopBytes;
  const sent = stopBy === 'exai' ? [] : stop.filter(isTaken).slice(0, maxStops);
  return { sent, delivery: sent.length < stop.length ? 'stream' : delivery };
}

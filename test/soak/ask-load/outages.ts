import type { Fault } from '../../../emulator/vendor.ts';

/** A time in which one vendor, or nobody, does not do what it should. */
export interface Outage {
  readonly title: string;
  readonly vendor?: 'glm' | 'kimi';
  /** Planned again and again as long as it lasts. */
  readonly faults: readonly Fault[];
  readonly seconds: number;
}

const FLAPS = 200;
/** No fault at all, so that another can have every second turn. */
const WELL: Fault = { id: 'slow', with: { firstMs: 0, chunkMs: 2 } };

/** Every way in which the one who is asked first can fail, one after the other. */
export function outagesOf(vendor: 'glm' | 'kimi', seconds: number): readonly Outage[] {
  const always = (fault: Fault): readonly Fault[] => [{ ...fault, times: 0 }];
  const kinds: readonly Omit<Outage, 'vendor' | 'seconds'>[] = [
    { title: 'dead', faults: always({ id: 'F5.reset' }) },
    { title: 'slow', faults: always({ id: 'F5.silent' }) },
    { title: 'flapping', faults: everySecond({ id: 'F4.503' }, { id: 'F5.cut', after: 8 }) },
    { title: 'rate-limited', faults: always({ id: 'F1', with: { seconds: 1 } }) },
  ];
  return kinds.map(({ title, faults }) => ({
    title: `${vendor} ${title}`,
    vendor,
    seconds,
    faults: faults.map((fault) => ({ ...fault, vendor, path: '/chat' })),
  }));
}

function everySecond(...faults: readonly Fault[]): readonly Fault[] {
  return Array.from({ length: FLAPS }, (_, n) => faults[n % faults.length] ?? WELL).flatMap(
    (fault) => [fault, WELL],
  );
}

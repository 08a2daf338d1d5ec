import type { Subject } from '../mcp-call/subject.ts';
import { FAULTS, well, type FaultName } from './behaviours.ts';
import type { Column } from './columns.ts';
import { judge, type Verdict } from './judge.ts';
import { listen, type Delivery } from './listen.ts';
import { readReceived } from './read-received.ts';
import { startVendor } from './vendor.ts';

/** A line of the table. */
export interface Fault {
  readonly name: FaultName;
  readonly delivery: Delivery;
}

/** One after the other, as they share the vendors. */
export async function tryFaults(column: Column, faults: readonly Fault[]): Promise<Verdict[]> {
  const [first, backup] = [await startVendor(), await startVendor()];
  const urls = { first: first.url, backup: backup.url };
  const verdicts: Verdict[] = [];
  let subject: Subject | undefined;
  try {
    for (const { name, delivery } of faults) {
      if (column.memory === 'remembers') {
        await subject?.stop();
        subject = undefined;
      }
      subject ??= await column.start(urls);
      first.behave(FAULTS[name]);
      backup.behave(well);
      const target = column.target(subject, urls);
      const heard = await listen(target, delivery);
      const understood = readReceived(heard, target.dialect, delivery);
      const asked = { first: first.asked, backup: backup.asked };
      verdicts.push(judge({ heard, understood, asked }));
    }
    return verdicts;
  } finally {
    await subject?.stop();
    await first.stop();
    await backup.stop();
  }
}

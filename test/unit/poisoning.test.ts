import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { hasHigh } from '#core/hub/finding.ts';
import { readCorpus, scanEntry } from '../../bench/poisoning/read-corpus.ts';
import { verifies } from '../verifies.ts';

const CORPUS = fileURLToPath(new URL('../../../shared/poisoning/corpus.json', import.meta.url));

/** Without the corpus, the test is reported as not run. */
describe.skipIf(!existsSync(CORPUS))('the corpus of poisoned definitions', () => {
  verifies('scan:corpus', 'is told from harmless definitions', () => {
    const entries = readCorpus(readFileSync(CORPUS, 'utf8'));
    const rate = (label: string) => {
      const of = entries.filter((entry) => entry.label === label);
      return of.filter((entry) => hasHigh(scanEntry(entry))).length / of.length;
    };
    expect(rate('malicious')).toBeGreaterThanOrEqual(0.9);
    expect(rate('benign')).toBeLessThanOrEqual(0.05);
  });
});

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { startOtlpReceiver } from '../../otlp-receiver.ts';
import { openAttackHarness, OWNER_TOKEN, type AttackHarness } from '../attack-harness.ts';
import { findSecrets, formsOf, type Sought } from './forms.ts';
import {
  QUOTING_MODEL,
  readMetrics,
  startQuoting,
  type Operation,
  type QuotingVendor,
} from './operations.ts';

const KEYS = {
  KIMI_API_KEY: 'sk-Kq7Zx9Wm2Vt5Rb8Nc4Hd6Lf3-kimi',
  GLM_API_KEY: 'Hd3Lf6Gp9Js2Wn5T.Yv7Ek1Ou4Xi8Bq2M-glm',
  CUSTOM_API_KEY: 'home-Tz5Qm8Rw1Bn6Cp3Dk9Vx2Gf7-custom',
};
const COLLECTOR_SECRET = 'Uf4Ag7Sh0Mj3Wl6Pe9Zc2Rd5-collector';
const GZIP = Buffer.from([0x1f, 0x8b]);

/** A daemon that writes everything down that it can write. */
export interface SecretsHarness {
  readonly harness: AttackHarness;
  readonly quoting: QuotingVendor;
  readonly clientToken: string;
  /**
   * Stops the daemon and looks everywhere; what was found, by place. The places with nothing in
   * them are listed as well.
   */
  search(operations: readonly Operation[]): Promise<Readonly<Record<Place, Found>>>;
  close(): Promise<void>;
}

export const PLACES = [
  'answers',
  'metrics',
  'traces',
  'recordings',
  'logs',
  'store',
  'backups',
  'other files',
] as const;
export type Place = (typeof PLACES)[number];

export interface Found {
  /** So that a place that is empty by mistake is noticed. */
  readonly bytes: number;
  readonly secrets: readonly string[];
}

// Each fault is to be met, whatever the ones before did.
const FORGIVING = { minCalls: 1_000, coolOffMs: 100, maxCoolOffMs: 100 };

export async function openSecretsHarness(): Promise<SecretsHarness> {
  const receiver = await startOtlpReceiver();
  const quoting = await startQuoting();
  const recordings = mkdtempSync(join(tmpdir(), 'exai-recordings-'));
  const harness = await openAttackHarness({
    env: {
      ...KEYS,
      CUSTOM_API_URL: `${quoting.url}/v1`,
      CUSTOM_MODEL: QUOTING_MODEL,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${COLLECTOR_SECRET}`,
      EXAI_RECORD: recordings,
      EXAI_TIMEOUTS_FIRST_TOKEN_MS: '1000',
      EXAI_TIMEOUTS_IDLE_MS: '1000',
    },
    config: { breaker: FORGIVING },
  });
  const clientToken = await harness.addClient('asker', ['*']);
  const secrets = [...Object.values(KEYS), COLLECTOR_SECRET, OWNER_TOKEN, clientToken];
  const sought = secrets.flatMap((secret) => formsOf(secret));
  return {
    harness,
    quoting,
    clientToken,
    async search(operations) {
      const metrics = await readMetrics(harness);
      // With it the last spans are sent and the store is closed.
      await harness.exai('stop');
      const files = filesBelow(harness.home);
      const inside = (...folders: readonly string[]) =>
        files.filter((file) => folders.some((name) => file.startsWith(join(harness.home, name))));
      const known = inside('logs', 'data', 'backups');
      return {
        answers: lookAt(
          operations.map(({ told }) => told),
          sought,
        ),
        metrics: lookAt([metrics], sought),
        traces: lookAt([JSON.stringify(receiver.spans)], sought),
        recordings: lookInto(filesBelow(recordings), sought),
        logs: lookInto(inside('logs'), sought),
        store: lookInto(inside('data'), sought),
        backups: lookInto(inside('backups'), sought),
        'other files': lookInto(
          files.filter((file) => !known.includes(file)),
          sought,
        ),
      };
    },
    async close() {
      await harness.close();
      await receiver.close();
      quoting.close();
      rmSync(recordings, { recursive: true, force: true });
    },
  };
}

function lookAt(texts: readonly string[], sought: readonly Sought[]): Found {
  return {
    bytes: texts.reduce((sum, text) => sum + text.length, 0),
    secrets: texts.flatMap((text) => {
      return findSecrets(text, sought).map((what) => `${what} in ${excerpt(text, sought)}`);
    }),
  };
}

/** Around the first thing that was found. */
function excerpt(text: string, sought: readonly Sought[]): string {
  const at = Math.min(...sought.map((each) => text.indexOf(each.text)).filter((each) => each >= 0));
  return text.slice(Math.max(0, at - 300), at + 150);
}

function lookInto(files: readonly string[], sought: readonly Sought[]): Found {
  let bytes = 0;
  const secrets = files.flatMap((file) => {
    const content = readFileSync(file);
    const plain = content.subarray(0, 2).equals(GZIP) ? gunzipSync(content) : content;
    bytes += plain.length;
    return findSecrets(plain, sought).map((what) => `${what} in ${basename(file)}`);
  });
  return { bytes, secrets };
}

/** Files alone: a socket has nothing in it. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

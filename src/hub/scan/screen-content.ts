import { hasHigh, type ScanPolicy } from '#core/hub/finding.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { createScanTurns } from '../pins/scan-turns.ts';
import type { UpstreamContent } from '../pass-through/list-content.ts';
import { indexPeers } from './peers.ts';
import { scanDefinition, type ScannedDefinition } from './scan-definition.ts';

/** Prompts, resources and templates without those in which the scanner found something. */
export interface ScreenedContent {
  readonly content: UpstreamContent;
  /** The addresses of resources that are withheld. */
  readonly withheld: ReadonlySet<string>;
}

const NO_PEERS = indexPeers({ server: '', tools: [] }, []);
const NONE: ReadonlySet<string> = new Set();
const KINDS = [
  { list: 'prompts', kind: 'prompt' },
  { list: 'resources', kind: 'resource' },
  { list: 'templates', kind: 'template' },
] as const;

/** Their texts are read by models as those of tools are; they change too often to be pinned. */
export async function screenContent(
  content: UpstreamContent,
  policy: ScanPolicy,
  log: Log,
): Promise<ScreenedContent> {
  if (policy === 'off') return { content, withheld: NONE };
  const turn = createScanTurns();
  const withheld = new Set<string>();
  const lists: Record<string, readonly JsonObject[]> = {};
  for (const { list, kind } of KINDS) {
    const kept: JsonObject[] = [];
    for (const definition of content[list]) {
      const name = nameOf(definition);
      const { findings, chars } = scanDefinition({ kind, name, definition }, NO_PEERS);
      await turn(chars);
      if (findings.length > 0) {
        const found = findings.map(({ reason }) => reason.code);
        log.warn('upstream_content_suspicious', { kind, name, found, policy });
      }
      if (policy !== 'block' || !hasHigh(findings)) kept.push(definition);
      else if (typeof definition['uri'] === 'string') withheld.add(definition['uri']);
    }
    lists[list] = kept;
  }
  return { content: lists as unknown as UpstreamContent, withheld };
}

function nameOf({ name }: JsonObject): ScannedDefinition['name'] {
  return typeof name === 'string' ? name : '';
}

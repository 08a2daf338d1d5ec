import { CallError } from '#core/errors/call-error.ts';
import type {
  NewCandidate,
  NewPin,
  PinApproval,
  PinCandidate,
  PinStore,
} from '#core/stores/pins.ts';

interface StoredServer {
  approvedListHash: string;
  readonly pins: Map<string, NewPin & { approval: PinApproval }>;
  readonly candidates: Map<string, NewCandidate & Pick<PinCandidate, 'decision'>>;
}

/** Pins without a database; `test/cases/registers-case.ts` tests the real ones. */
export function pinsInMemory(): PinStore {
  const servers = new Map<string, StoredServer>();
  const of = (server: string): StoredServer => {
    const known = servers.get(server);
    if (!known) throw new Error(`${server} is not pinned.`);
    return known;
  };
  return {
    async load(server) {
      const known = servers.get(server);
      if (!known) return undefined;
      return {
        approvedListHash: known.approvedListHash,
        firstSeenAt: 0,
        pins: [...known.pins.values()],
        candidates: [...known.candidates.values()],
      };
    },
    async pin(server, pins) {
      const known = servers.get(server) ?? {
        approvedListHash: '',
        pins: new Map(),
        candidates: new Map(),
      };
      servers.set(server, known);
      for (const pin of pins) {
        if (!known.pins.has(pin.tool))
          known.pins.set(pin.tool, { ...pin, approval: 'first_sight' });
      }
    },
    async hold(server, candidates, gone) {
      const { candidates: held } = of(server);
      for (const each of candidates) held.set(each.tool, { ...each, decision: 'waiting' });
      for (const tool of gone) held.delete(tool);
      of(server).approvedListHash = '';
    },
    async saveFindings(server, scanned) {
      for (const { tool, findings } of scanned) {
        const pin = of(server).pins.get(tool);
        if (pin) of(server).pins.set(tool, { ...pin, findings });
      }
    },
    async saveApprovedList(server, hash) {
      of(server).approvedListHash = hash;
    },
    async show(server, tool) {
      const pinned = of(server).pins.get(tool);
      const candidate = of(server).candidates.get(tool);
      return { ...(pinned && { pinned }), ...(candidate && { candidate }) };
    },
    async decide(server, tool, hash, decision) {
      const { pins, candidates } = of(server);
      of(server).approvedListHash = '';
      const candidate = candidates.get(tool);
      const pin = pins.get(tool);
      if (candidate?.hash === hash) {
        if (decision === 'rejected') candidates.set(tool, { ...candidate, decision });
        else {
          candidates.delete(tool);
          pins.set(tool, { ...candidate, approval: 'owner' });
        }
      } else if (pin?.hash === hash) {
        pins.set(tool, { ...pin, approval: decision === 'approved' ? 'owner' : 'rejected' });
      } else throw new CallError('not_found', 'There is no such definition.');
    },
    async remove(server) {
      servers.delete(server);
    },
  };
}

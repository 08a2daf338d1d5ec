import { createSwitches } from '../switches.ts';
import type { FaultAnswer, Vendor } from '../vendor.ts';
import { createLlamacpp } from './llamacpp.ts';
import { createLmstudio } from './lmstudio.ts';
import { createOllama } from './ollama.ts';
import { createVllm } from './vllm.ts';

export type Flavour = 'ollama' | 'vllm' | 'llamacpp' | 'lmstudio';

/**
 * The four local servers, each under its own prefix, and `/local`, which is one of them: the same
 * one, not a copy.
 */
export function createLocalVendors(): readonly Vendor[] {
  const flavours: Readonly<Record<Flavour, Vendor>> = {
    ollama: createOllama(),
    vllm: createVllm(),
    llamacpp: createLlamacpp(),
    lmstudio: createLmstudio(),
  };
  return [createExtractive(flavours), ...Object.values(flavours)];
}

export function createExtractive(
  flavours: Readonly<Record<Flavour, Vendor>>,
): Vendor<{ flavour: Flavour }> {
  const toggles = createSwitches(
    { flavour: 'ollama' as Flavour },
    { flavour: ['ollama', 'vllm', 'llamacpp', 'lmstudio'] },
  );
  const { switches } = toggles;
  const current = (): Vendor => flavours[switches.flavour];
  const ids = new Set(Object.values(flavours).flatMap((vendor) => Object.keys(vendor.faults)));
  const answer: FaultAnswer = (ask, reply, fault) => {
    const { faults } = current();
    const own = Object.hasOwn(faults, fault.id) ? faults[fault.id] : undefined;
    // A fault that this flavour does not have leaves it as it is.
    return own === undefined ? 'through' : own(ask, reply, fault);
  };
  return {
    name: 'local',
    prefix: '/local',
    switches,
    reset() {
      toggles.reset();
    },
    handle: (ask, reply) => current().handle(ask, reply),
    faults: Object.fromEntries([...ids].map((id) => [id, answer])),
    faultOptions: faultOptionsOf(Object.values(flavours)),
  };
}

/** Of the faults about which each flavour that has them says what it takes. */
function faultOptionsOf(vendors: readonly Vendor[]): NonNullable<Vendor['faultOptions']> {
  const told = vendors.flatMap(({ faultOptions = {} }) => Object.entries(faultOptions));
  return Object.fromEntries(
    told.filter(([id]) =>
      vendors.every(({ faults, faultOptions = {} }) => !(id in faults) || id in faultOptions),
    ),
  );
}

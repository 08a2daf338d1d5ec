import type { Change } from '#core/calls.ts';
import type { Prompt } from '#core/prompt.ts';
import type { Resource, ResourceTemplate } from '#core/resource.ts';
import type { Tool } from '#core/tool.ts';
import { matchesWildcard } from '#core/wildcard.ts';
import { offerOperation, offerPrompt, offerResource, offerTemplate, type Offer } from './offer.ts';
import { createShelf } from './shelf.ts';

export interface LibraryOptions {
  /** Operations that cannot be run, as patterns of names; none unless given. */
  readonly disabled?: readonly string[];
}

/** What a source has beside tools. */
export interface Materials {
  readonly prompts?: readonly Prompt[];
  readonly resources?: readonly Resource[];
  readonly templates?: readonly ResourceTemplate[];
  /** What doors run for what they serve: listed to nobody, and with rights of its own name. */
  readonly operations?: readonly Tool[];
}

/** Every prompt, resource and operation there is. */
export interface Library {
  /** Puts the materials of a source in place of those it had. */
  put(source: string, materials: Materials): void;
  /** What stands at this address is no longer what it was: for all, or for one principal, to whom alone it is told. */
  touch(uri: string, principal?: string): void;
  prompt(name: string): Offer | undefined;
  template(uriTemplate: string): Offer | undefined;
  operation(name: string): Offer | undefined;
  /** Every operation, in the order in which they were put. */
  operations(): readonly Tool[];
  /** The resource at an address, be it one of many. */
  at(uri: string): Offer | undefined;
  all(kind: 'prompts' | 'resources' | 'templates'): readonly Offer[];
  onChange(listener: (change: Change) => void): () => void;
}

export function createLibrary({ disabled = [] }: LibraryOptions = {}): Library {
  const listeners = new Set<(change: Change) => void>();
  const tell = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  const keyOf = ({ key }: Offer) => key;
  const changed = { prompts: { list: 'prompts' }, resources: { list: 'resources' } } as const;
  const shelves = {
    prompts: createShelf(keyOf, () => tell(changed.prompts)),
    resources: createShelf(keyOf, () => tell(changed.resources)),
    templates: createShelf(keyOf, () => tell(changed.resources)),
    operations: createShelf(keyOf, () => {}),
  };
  const isEnabled = ({ name }: Tool) => !disabled.some((pattern) => matchesWildcard(name, pattern));
  return {
    put(source, { prompts, resources, templates, operations }) {
      if (prompts) shelves.prompts.put(source, prompts.map(offerPrompt));
      if (resources) shelves.resources.put(source, resources.map(offerResource));
      if (templates) shelves.templates.put(source, templates.map(offerTemplate));
      if (operations) {
        shelves.operations.put(source, operations.filter(isEnabled).map(offerOperation));
      }
    },
    touch: (uri, principal) => tell({ uri, ...(principal !== undefined && { principal }) }),
    prompt: (name) => shelves.prompts.find(name),
    template: (uriTemplate) => shelves.templates.find(uriTemplate),
    operation: (name) => shelves.operations.find(name),
    operations: () => shelves.operations.inOrder().map(({ tool }) => tool),
    at: (uri) =>
      shelves.resources.find(uri) ?? shelves.templates.all().find((offer) => offer.matches(uri)),
    all: (kind) => shelves[kind].all(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

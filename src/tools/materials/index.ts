import type { Ops } from '#core/ops.ts';
import type { Prompt } from '#core/prompt.ts';
import type { Resource, ResourceTemplate } from '#core/resource.ts';
import { status } from '../status.ts';
import type { Catalogue } from './catalogue.ts';
import { diagnose } from './diagnose.ts';
import { statusResource } from './status.ts';
import { toolDefinition } from './tool-definition.ts';
import { toolIndex } from './tool-index.ts';

export interface BuiltinMaterials {
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

/** Every prompt and resource that is built in. */
export function builtinMaterials(ops: Ops, catalogue: Catalogue): BuiltinMaterials {
  return {
    prompts: [diagnose],
    resources: [statusResource(status(ops)), toolIndex(catalogue)],
    templates: [toolDefinition(catalogue)],
  };
}

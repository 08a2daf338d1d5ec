import { addedNameProblem, ADDED_NAME_RULE, PRESET_IDS } from '#core/providers/added.ts';
import { findProvider } from '#core/providers/list.ts';
import type { Preset } from '#core/providers/presets/preset.ts';
import { findPreset } from '#core/providers/presets/presets.ts';
import { quoteName } from '#config/secrets/secret-guard.ts';
import { parseUrl } from '#config/secrets/url.ts';
import { CallError } from '#core/errors/call-error.ts';
import { didYouMean } from '#core/text/text.ts';

interface Given {
  readonly preset?: string;
  readonly url?: string;
  readonly model?: readonly string[];
}

/** A provider as the user described it on the command line. */
export interface NewProvider {
  readonly name: string;
  readonly preset?: Preset;
  /** Its section in config.json, without keys. */
  readonly section: {
    readonly preset?: string;
    readonly baseUrl?: string;
    readonly models?: readonly string[];
  };
}

/** Reads name and options of `exai providers add`; throws with the option that is wrong. */
export function readNewProvider(name: string, given: Given): NewProvider {
  requireFreeName(name);
  const preset = presetOf(name, given);
  const baseUrl = given.url === undefined ? undefined : readAddress(given.url);
  if (baseUrl === undefined && (preset?.baseUrl ?? '') === '') throw noAddress(name, preset);
  const { model: models = [] } = given;
  return {
    name,
    ...(preset && { preset }),
    section: {
      ...(preset && preset.id !== name && { preset: preset.id }),
      // The section of a preset may be empty, but it has to be there.
      ...(preset && preset.id === name && { preset: name }),
      ...(baseUrl !== undefined && { baseUrl }),
      ...(models.length > 0 && { models }),
    },
  };
}

function requireFreeName(name: string): void {
  const problem = addedNameProblem(name);
  if (problem === undefined) return;
  const shown = quoteName(name);
  if (problem === 'shape') {
    throw new CallError('validation', `The name ${shown} ${ADDED_NAME_RULE}.`, {
      field: 'name',
      fix: 'Example: exai providers add mybox --url http://127.0.0.1:8000/v1',
    });
  }
  const isBuiltIn = findProvider(name)?.settings !== undefined;
  throw new CallError('validation', `The name ${shown} is used by EX-AI itself.`, {
    field: 'name',
    fix: isBuiltIn ? `exai keys add ${name}` : `Choose another, such as my-${name}.`,
  });
}

function presetOf(name: string, { preset: wanted, url }: Given): Preset | undefined {
  const id = wanted ?? name;
  const preset = findPreset(id);
  if (preset || (wanted === undefined && url !== undefined)) return preset;
  const near = didYouMean(id, PRESET_IDS) || '.';
  throw new CallError('validation', `There is no preset ${quoteName(id)}${near}`, {
    field: wanted === undefined ? 'name' : '--preset',
    fix: `Use one of ${PRESET_IDS.join(', ')}, or give the address of a server with --url.`,
  });
}

function noAddress(name: string, preset: Preset | undefined): CallError {
  const example = preset?.example ?? 'http://127.0.0.1:8000/v1';
  const title = preset?.title ?? name;
  return new CallError('validation', `${title} has a different address for every user.`, {
    field: '--url',
    fix: `exai providers add ${name} --url ${example}`,
  });
}

/** The base URL of an API, without the path of a single endpoint. */
function readAddress(text: string): string {
  const url = parseUrl(text.trim());
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw wrongUrl('must be a URL that begins with http:// or https://');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw wrongUrl('must have no user name, password or query; keys are stored separately');
  }
  return url.href.replace(/\/(?:chat\/completions|messages|models)\/?$/, '').replace(/\/+$/, '');
}

function wrongUrl(rule: string): CallError {
  return new CallError('validation', `--url ${rule}.`, {
    field: '--url',
    fix: 'Example: --url http://127.0.0.1:8000/v1',
  });
}

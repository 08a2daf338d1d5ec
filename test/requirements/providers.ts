/** Promises about providers that the user adds. */
export const PROVIDER_REQUIREMENTS = {
  'providers:one-line':
    'A provider of a preset, and a server by its address, are added in one line, used by auto at once, and removed while in use without an error.',
  'providers:clear-refusals':
    'A wrong address, a wrong key, a server that is not OpenAI-compatible and a missing model each give one clear sentence, and nothing is stored.',
  'providers:presets':
    'Every preset has an address or an example of one, a source, quirks and a state; none is called tested unless the emulator plays it.',
  'providers:several-keys':
    'Requests are spread over the keys of a provider by health and remaining limits; a refused key is replaced before anything was answered.',
  'providers:names':
    'The name of an added provider is checked wherever it is set; names of EX-AI itself and of object members are refused.',
} as const;

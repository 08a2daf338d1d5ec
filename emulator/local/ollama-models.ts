export interface OllamaModel {
  readonly name: string;
  readonly family: string;
  readonly parameters: string;
  readonly bytes: number;
  readonly can: readonly ('tools' | 'thinking' | 'vision' | 'embedding')[];
}

const LIST: readonly OllamaModel[] = [
  {
    name: 'llama3.2:latest',
    family: 'llama',
    parameters: '3.2B',
    bytes: 2_019_393_189,
    can: ['tools'],
  },
  {
    name: 'qwen3:8b',
    family: 'qwen3',
    parameters: '8.2B',
    bytes: 5_225_388_164,
    can: ['tools', 'thinking'],
  },
  {
    name: 'llava:latest',
    family: 'llama',
    parameters: '7B',
    bytes: 4_733_363_377,
    can: ['vision'],
  },
  {
    name: 'nomic-embed-text:latest',
    family: 'nomic-bert',
    parameters: '137M',
    bytes: 274_302_450,
    can: ['embedding'],
  },
];

/** A name without a tag means the latest. */
export function findOllama(name: string): OllamaModel | undefined {
  const full = name.includes(':') ? name : `${name}:latest`;
  return LIST.find((model) => model.name === full);
}

const MODIFIED = '2026-10-01T08:00:00Z';

export const tags = (): object => ({
  models: LIST.map(({ name, family, parameters, bytes }) => ({
    name,
    model: name,
    modified_at: MODIFIED,
    size: bytes,
    digest: Buffer.from(name).toString('hex').padEnd(64, '0').slice(0, 64),
    details: {
      parent_model: '',
      format: 'gguf',
      family,
      families: [family],
      parameter_size: parameters,
      quantization_level: 'Q4_K_M',
    },
  })),
});

export const openaiList = (): object => ({
  object: 'list',
  data: LIST.map(({ name }) => ({
    id: name,
    object: 'model',
    created: Date.parse(MODIFIED) / 1_000,
    owned_by: 'library',
  })),
});

import type { ThemeTable } from '../theme.ts';

const PRIVATE = ['secretFile', 'mail', 'conversation', 'prompt', 'results', 'personal'] as const;

/** Private data that a tool has no business with, and where data go. */
export const PRIVATE_DATA_THEMES = {
  // Data that the tool has no business with.
  secret_into_argument: {
    weight: 6,
    parts: [
      ['secret', 'secretFile'],
      ['ownArgument', 'argument'],
      ['insert', 'send', 'take'],
    ],
    within: 14,
    except: ['ownSecretArgument', 'asked'],
    purposes: ['secret', 'guard'],
  },
  variable_published: {
    weight: 8,
    parts: [
      ['insert', 'send'],
      ['secretVariable'],
      ['answer', 'argument', 'ownArgument', 'every', 'externalPlace', 'address'],
    ],
    within: 12,
    purposes: ['secret', 'guard', 'envPurpose', 'detector'],
  },
  private_into_argument: {
    weight: 10,
    code: 'scan_secret_transfer',
    parts: [
      ['mail', 'conversation', 'prompt', 'results', 'personal', 'secretFile'],
      ['ownArgument', 'argument'],
      ['insert', 'send', 'take', 'store'],
    ],
    within: 16,
    purposes: ['conversation', 'memory', 'mail', 'prompt', 'personal'],
  },
  private_as_argument: {
    weight: 9,
    parts: [PRIVATE, ['inSchema'], ['insert', 'take', 'whole', 'send']],
    within: 12,
    purposes: ['conversation', 'memory', 'mail', 'prompt', 'personal', 'file'],
  },
  secret_taken: {
    weight: 5,
    parts: [
      ['take', 'insert'],
      ['secret', 'secretFile'],
      ['whole', 'order!', 'user'],
    ],
    within: 8,
    except: ['asked', 'ownSecretArgument'],
    purposes: ['secret', 'file', 'guard', 'command', 'detector', 'envPurpose'],
  },
  secret_file_read: {
    weight: 10,
    code: 'scan_secret_access',
    parts: [['secretFile'], ['take', 'insert', 'send']],
    within: 12,
    purposes: ['secret', 'file', 'guard', 'command', 'detector', 'envPurpose'],
  },
  secret_outside: {
    weight: 10,
    code: 'scan_secret_transfer',
    parts: [['send'], ['secret', ...PRIVATE], ['address', 'external']],
    within: 10,
    purposes: ['envPurpose', 'run', 'secret', 'detector', 'mail'],
  },
  prompt_revealed: {
    weight: 10,
    code: 'scan_prompt_disclosure',
    parts: [['reveal', 'insert', 'send'], ['prompt']],
    within: 9,
    purposes: ['prompt', 'detector'],
  },
  asked_for_secret: {
    weight: 10,
    code: 'scan_secret_transfer',
    parts: [['askFor'], ['secret']],
    within: 8,
    isOrdered: true,
    purposes: ['secret', 'guard', 'envPurpose', 'detector'],
  },
  secret_wanted: {
    weight: 5,
    parts: [['secret'], ['insert'], ['user']],
    within: 6,
    except: ['inSchema', 'asked'],
    purposes: ['secret', 'guard', 'envPurpose', 'detector'],
  },
  // Where data go.
  sent_to_address: {
    weight: 7,
    parts: [['send', 'insert', 'run', 'create', 'call'], ['address']],
    within: 14,
  },
  sent_also: {
    weight: 5,
    parts: [['send'], ['also', 'covert', 'must', 'order!'], ['address', 'externalPlace']],
    within: 12,
  },
  data_outside: {
    weight: 10,
    code: 'scan_side_channel',
    parts: [['send', 'store'], ['externalPlace']],
    within: 10,
    except: ['asked', 'caller'],
    purposes: ['send', 'external', 'place', 'detector'],
  },
  taken_and_sent: {
    weight: 10,
    code: 'scan_secret_transfer',
    parts: [
      ['take'],
      ['secret', 'secretFile', 'mail', 'conversation', 'prompt', 'personal'],
      ['send'],
    ],
    within: 12,
    isOrdered: true,
    except: ['caller', 'asked'],
    purposes: ['secret', 'mail', 'conversation', 'detector', 'personal', 'envPurpose'],
  },
  taken_and_put: {
    weight: 10,
    code: 'scan_secret_transfer',
    parts: [['take'], ['secret', 'secretFile', 'mail', 'conversation', 'prompt'], ['insert']],
    within: 12,
    isOrdered: true,
    except: ['caller', 'asked', 'ownSecretArgument'],
    purposes: ['secret', 'mail', 'conversation', 'detector', 'envPurpose', 'model'],
  },
  stolen: {
    weight: 10,
    code: 'scan_secret_transfer',
    parts: [
      ['steal'],
      ['data', 'secret', 'personal', 'file', 'conversation', 'user', 'secretFile', 'mail'],
    ],
    within: 6,
    isOrdered: true,
    purposes: ['detector', 'steal'],
  },
  recipient_added: {
    weight: 5,
    parts: [['insert', 'send'], ['mailAddress'], ['must', 'order!', 'every', 'also']],
    within: 12,
    purposes: ['detector'],
  },
  picture_of_data: { weight: 10, code: 'scan_side_channel', parts: [['pixel']], within: 0 },
  to_account: {
    weight: 7,
    parts: [['accountCode'], ['send', 'pay', 'change', 'insert', 'must', 'redirected', 'place']],
    within: 9,
    purposes: ['detector'],
  },
} as const satisfies ThemeTable;

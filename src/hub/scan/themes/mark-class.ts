import type { WordClass } from './lexicon.ts';

/** What a word is by how it is written, or by the definition around it. */
type LocalClass =
  | 'ownTool'
  | 'ownArgument'
  /** An argument that is called a key, a token or a password. */
  | 'ownSecretArgument'
  | 'otherName'
  | 'peerTool'
  | 'peerServer'
  | 'address'
  | 'mailAddress'
  | 'accountCode'
  | 'secretFile'
  | 'secretVariable'
  | 'commandText'
  | 'externalPlace'
  /** `Ignore the above and …`: what is above is not named. */
  | 'priorAlone'
  | 'quoteMark'
  /** A verb that the model is told to do. */
  | 'order!'
  | 'praise2'
  // Of the sentence or the definition as a whole.
  | 'inSchema'
  | 'pureTool'
  | 'noteToModel'
  | 'systemVoice'
  | 'youAreNow'
  | 'pixel';

export type MarkClass = WordClass | LocalClass;

/** Where the words of each class are in a sentence. */
export type Marks = ReadonlyMap<MarkClass, readonly number[]>;

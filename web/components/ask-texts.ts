// The texts of ask. They are loaded with its components, so that a search does not wait for them.
import { createContext } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
import { type AskStrings, strings as english } from '../strings/en-ask.ts'
import { createTexts, mergeStrings, type Texts } from './texts.ts'

export type AskTexts = Texts & AskStrings

export function withAskStrings(texts: Texts): AskTexts {
  return { ...mergeStrings({ ...english, ...texts.strings }, texts.own), ...texts }
}

export const TextsContext = createContext(createTexts())

export function useAskTexts(): AskTexts {
  const texts = useContext(TextsContext)
  return useMemo(() => withAskStrings(texts), [texts])
}

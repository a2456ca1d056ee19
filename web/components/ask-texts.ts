// The texts of ask. They come with its components, so that a search need not wait for them.
import { useMemo } from 'preact/hooks'
import { type AskStrings, strings as english } from '../strings/en-ask.ts'
import { mergeStrings, type Texts, useTexts } from './texts.ts'

export type AskTexts = Texts & AskStrings

export function withAskStrings(texts: Texts): AskTexts {
  return { ...mergeStrings({ ...english, ...texts.strings }, texts.own), ...texts }
}

export function useAskTexts(): AskTexts {
  const texts = useTexts()
  return useMemo(() => withAskStrings(texts), [texts])
}

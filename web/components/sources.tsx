// Sources of an answer: the citation marks, and the list below. Both show the cited passage on hover and focus.
import type { AnchorHTMLAttributes, ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { readWebAddress, toReadablePath } from './addresses.ts'
import { useAskTexts } from './ask-texts.ts'
import { fill } from './texts.ts'
import type { Source } from './turn.ts'

/** A link that opens a new tab and sends no referrer. */
export function OutwardLink({ children, ...props }: AnchorHTMLAttributes & { children?: ComponentChildren }) {
  return (
    <a {...props} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

/** `[2]` in an answer. */
export function Citation({ number, source }: { number: number; source: Source }) {
  const texts = useAskTexts()
  const quote = useQuote(source)
  const label = fill(texts.answer.source, { n: number, title: source.title })
  const address = readWebAddress(source.url)
  return (
    <span class="cited" {...quote.area}>
      {address ? (
        <OutwardLink class="cite" part="citation" href={address} aria-label={label} {...quote.described}>
          {number}
        </OutwardLink>
      ) : (
        <span class="cite" title={label}>
          {number}
        </span>
      )}
      {quote.element}
    </span>
  )
}

export function SourceList({ sources, title }: { sources: Source[]; title: string }) {
  if (sources.length === 0) return null
  return (
    <div class="sources" part="sources">
      <h4>{title}</h4>
      <ol>
        {sources.map((source) => (
          <SourceItem source={source} />
        ))}
      </ol>
    </div>
  )
}

function SourceItem({ source }: { source: Source }) {
  const quote = useQuote(source)
  const { title, url } = source
  const address = readWebAddress(url)
  const name = (
    <bdi class="source-title" dir="auto">
      {title || url}
    </bdi>
  )
  return (
    <li {...quote.area}>
      {address ? (
        <OutwardLink class="source" part="source" href={address} {...quote.described}>
          {name}
          <bdi class="path">{toReadablePath(address)}</bdi>
        </OutwardLink>
      ) : (
        <span class="source">{name}</span>
      )}
      {quote.element}
    </li>
  )
}

/** The cited passage of a source: shown on hover and focus, hidden by Esc (WCAG 1.4.13). */
function useQuote({ quote, title }: Source) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  if (quote === '') return { area: {}, described: {}, element: null }
  return {
    area: {
      onMouseEnter: () => setOpen(true),
      onMouseLeave: () => setOpen(false),
      onFocusIn: () => setOpen(true),
      onFocusOut: () => setOpen(false),
      onKeyDown(event: KeyboardEvent) {
        if (event.key !== 'Escape' || !isOpen) return
        event.stopPropagation()
        setOpen(false)
      },
    },
    described: { 'aria-describedby': id },
    element: (
      <span class="quote" part="quote" id={id} role="tooltip" hidden={!isOpen}>
        <strong dir="auto">{title}</strong>
        <q dir="auto">{quote}</q>
      </span>
    ),
  }
}

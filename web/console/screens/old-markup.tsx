// The effect of markup written for the hosted service, attribute by attribute.
import { useState } from 'preact/hooks'
import { type OldAttributeReport, reportOldMarkup } from '../../widget/old-report.ts'
import { PlainTable } from '../parts/short-table.tsx'
import { Dot, type Tone } from '../parts/values.tsx'

const effects: Record<OldAttributeReport['effect'], [Tone, string]> = {
  honored: ['good', 'works'],
  none: ['idle', 'has no effect'],
  refused: ['bad', 'is refused'],
  unknown: ['warn', 'is not known'],
}

const maxCharacters = 200_000

export function OldMarkup() {
  const [text, setText] = useState('')
  const found = reportOldMarkup(text.slice(0, maxCharacters))
  return (
    <div class="card">
      <h2>Pages with biel-* elements</h2>
      <p>
        Their markup can stay: replace the script by Lectern’s, and the elements work. Paste a page or a
        template to see what becomes of each attribute. Nothing is sent.
      </p>
      <label class="field">
        <span class="label">Markup</span>
        <textarea
          rows={4}
          spellcheck={false}
          placeholder={'<biel-search-button project="…">'}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div role="status">
        {text !== '' && found.length === 0 && <p>There is no biel-* element with attributes in it.</p>}
        {found.length > 0 && <Report found={found} />}
      </div>
    </div>
  )
}

function Report({ found }: { found: OldAttributeReport[] }) {
  return (
    <PlainTable label="Attributes" titles={['Element', 'Attribute', 'Effect', 'In Lectern']} rows={found}>
      {({ element, attribute, value, effect, note }, at) => (
        <tr key={at}>
          <td>{element}</td>
          <td>
            {attribute}
            {value !== '' && `="${value}"`}
          </td>
          <td>
            <Dot tone={effects[effect][0]}>{effects[effect][1]}</Dot>
          </td>
          <td>{note}</td>
        </tr>
      )}
    </PlainTable>
  )
}

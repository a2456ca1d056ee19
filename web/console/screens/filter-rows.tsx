// The filters that readers choose from: a title and a pattern each, in an order.
import { TextField } from '../parts/form.tsx'

export interface Filter {
  title: string
  url: string
}

const name = 'config.search.filters'

export function FilterRows({ value, onChange }: { value: Filter[]; onChange(value: Filter[]): void }) {
  const change = (at: number, part: Partial<Filter>) =>
    onChange(value.map((each, index) => (index === at ? { ...each, ...part } : each)))
  const move = (at: number) => {
    const moved = [...value]
    moved.splice(at - 1, 0, ...moved.splice(at, 1))
    onChange(moved)
  }
  return (
    <fieldset class="rows">
      <legend class="label">Filters</legend>
      <p class="quiet">
        A reader who chooses one finds only pages whose address matches its pattern, a regular expression in
        RE2 syntax without regard to case.
      </p>
      {value.map((filter, at) => (
        <div key={at} class="rows-row" role="group" aria-label={`Filter ${at + 1}`}>
          <TextField
            name={`${name}[${at}].title`}
            label="Title"
            value={filter.title}
            onChange={(title) => change(at, { title })}
          />
          <TextField
            name={`${name}[${at}].url`}
            label="Pattern of addresses"
            placeholder="/guide/"
            value={filter.url}
            onChange={(url) => change(at, { url })}
          />
          <div class="row">
            <button
              type="button"
              name={`${name}[${at}].position`}
              disabled={at === 0}
              onClick={() => move(at)}
            >
              Move up
            </button>
            <button type="button" onClick={() => onChange(value.filter((_, index) => index !== at))}>
              Remove
            </button>
          </div>
        </div>
      ))}
      <div class="row">
        <button type="button" onClick={() => onChange([...value, { title: '', url: '' }])}>
          Add a filter
        </button>
      </div>
    </fieldset>
  )
}

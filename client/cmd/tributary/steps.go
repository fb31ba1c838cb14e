package main

import (
	"encoding/json"
	"strconv"
)

// inSteps calls an operation that does a part of a job until the job is over, and
// shows what was done in all. A step that is repeated has no second effect, so an
// interrupted command is simply run again.
func (j *job) inSteps() error {
	total, key := entry{}, j.key
	for {
		answer, err := j.callWith("", key)
		if err != nil {
			return err
		}
		step, err := read(answer.Body)
		if err != nil {
			return err
		}
		cursor, more := step["cursor"].(string)
		delete(step, "cursor")
		add(total, step)
		if total["done"] = step["done"]; !more {
			break
		}
		j.progress(total)
		j.input["cursor"], key = cursor, "" // each step after the first has a key of its own
	}
	raw, err := json.Marshal(total)
	if err != nil {
		return err
	}
	return j.show(answered{Body: raw})
}

// add adds the numbers of a step to those of the steps before.
func add(total, step entry) {
	for name, value := range step {
		switch value := value.(type) {
		case json.Number:
			before, _ := total[name].(json.Number)
			a, _ := before.Int64()
			b, _ := value.Int64()
			total[name] = json.Number(strconv.FormatInt(a+b, 10))
		case map[string]any:
			inner, _ := total[name].(map[string]any)
			if inner == nil {
				inner = map[string]any{}
			}
			add(inner, value)
			total[name] = inner
		}
	}
}
